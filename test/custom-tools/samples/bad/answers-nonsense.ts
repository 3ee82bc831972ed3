const answers: Array<unknown> = ["text", 5, undefined, { content: "text" }, { content: [{ type: "video" }] }]

export default () => ({
  name: "answers_nonsense",
  description: "A sample.",
  parameters: { type: "object", properties: {} },
  async execute() {
    return answers.shift()
  },
})
