// A tool of your own: a schema, a pipeline, and one call run to its result.
import { Type } from "@sinclair/typebox"
import { defineTool, handler, pipeline, Step, type ToolCallInput, ToolExecutor, ToolRegistry } from "stepline"

const wordCount = defineTool({
  name: "word_count",
  description: "Counts the words of a text.",
  parameters: Type.Object({
    text: Type.String({ description: "The text to count." }),
    unique: Type.Optional(Type.Boolean({ description: "Count each word once." })),
  }),
  annotations: { readOnly: true },
  compose: ({ text, unique }) => {
    const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
    const count = handler("count", () => Step.Output(`${unique ? new Set(words).size : words.length} words`))
    return pipeline().andThen(count)
  },
})

await using executor = new ToolExecutor(new ToolRegistry([wordCount]))

console.log("What the model is told:", JSON.stringify(executor.agent().definitions()[0]?.parameters))

const params = { text: "the quick fox and the slow fox" }
const all = await executor.run({ name: "word_count", params })
console.log(`${all.status}: ${all.content}`)

// The types check what you write. What a model sends is checked as it runs: what can only mean one thing is coerced, the
// rest is refused with a reason.
const sent: Array<ToolCallInput> = [
  { name: "word_count", params: { ...params, unique: "true" } },
  { name: "word_count", params: { txt: "typo" } },
]
for (const call of sent) {
  const { status, content } = await executor.run(call)
  console.log(`${status}: ${content}`)
}
