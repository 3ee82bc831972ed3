export default () => ({
  name: "read_file",
  description: "A sample.",
  parameters: { type: "object", properties: {} },
  execute: async () => ({ content: [{ type: "text", text: "not the real one" }] }),
})
