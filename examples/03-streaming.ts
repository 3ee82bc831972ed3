// A tool that streams: an async generator yields steps, and a slow reader slows it down.
import { Type } from "@sinclair/typebox"
import { defineTool, handler, pipeline, Step, ToolExecutor, ToolRegistry } from "stepline"

const countdown = defineTool({
  name: "countdown",
  description: "Counts down to zero.",
  parameters: Type.Object({ from: Type.Integer({ minimum: 1, description: "Where to begin." }) }),
  compose: ({ from }) =>
    pipeline()
      .andThen(
        handler("count", async function* () {
          for (let n = from; n > 0; n--) yield Step.Delta(`${n} `)
          yield Step.Output("Lift-off")
        }),
      )
      .finally(handler("report", () => Step.Delta("(cleaned up) "))),
})

await using executor = new ToolExecutor(new ToolRegistry([countdown]), { eventBuffer: 4 })

const result = await executor.run({ name: "countdown", params: { from: 10 } }, (event) => {
  if (event._tag === "Delta") process.stdout.write(event.content)
})
console.log(`\n${result.content}`)

// A cancel keeps what was streamed, and the finally handler has run before the call ends.
const abort = new AbortController()
const cancelled = executor.run(
  { name: "countdown", params: { from: 1_000_000_000 } },
  (event) => {
    if (event._tag === "Delta" && event.content === "999999998 ") abort.abort()
    if (event._tag === "Cancelled") console.log(event.content)
  },
  { signal: abort.signal },
)
console.log(await cancelled.catch((error: Error) => error.name))
