export default () => ({
  name: "exits",
  description: "A sample.",
  parameters: { type: "object", properties: {} },
  async execute() {
    await new Promise((resolve) => setImmediate(resolve))
    process.exit(3)
  },
})
