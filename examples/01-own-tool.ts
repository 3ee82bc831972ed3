// A tool of your own: a schema, a pipeline, and one call run to its result.
import { Type } from "@sinclair/typebox"
import { defineTool, handler, pipeline, Step, ToolExecutor, ToolRegistry } from "stepline"

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

// Arguments come from a model: what can only mean one thing is coerced, the rest is refused with a reason.
const unique = await executor.run({ name: "word_count", params: { ...params, unique: "true" } })
console.log(`${unique.status}: ${unique.content}`)
const wrong = await executor.run({ name: "word_count", params: { txt: "typo" } })
console.log(`${wrong.status}: ${wrong.content}`)
