/** Prints, of three calls, how many files of the package each enters, and how often a function: what a reader who follows it crosses. */
import { Session } from "node:inspector/promises"
import { defineTool, pipeline, Step, type ToolEvent, ToolExecutor, ToolRegistry } from "../../../src/index.ts"

const output = () => Step.Output("x")
const parameters = { type: "object", properties: { a: { type: "string" } } } as const

const registry = new ToolRegistry([
  defineTool({
    name: "plain",
    description: "Gives a text.",
    parameters,
    compose: () => pipeline().andThen(output),
  }),
  defineTool({
    name: "gated",
    description: "Gives a text once the call is approved.",
    parameters,
    compose: () =>
      pipeline()
        .andThen(output)
        .awaitApproval()
        .andThen(output)
        .finally(() => Step.Continue),
  }),
])

const session = new Session()
session.connect()
await session.post("Profiler.enable")

/** Of each file of the package that was entered since the count before, how often its functions were. */
const entriesByFile = async (): Promise<ReadonlyArray<number>> => {
  const { result } = await session.post("Profiler.takePreciseCoverage")
  return result
    .filter(({ url }) => url.includes("/package/modules/"))
    .map(({ functions }) =>
      functions
        // The module itself, which is entered when it is loaded.
        .filter(({ functionName, ranges }) => functionName !== "" || ranges[0]!.startOffset > 0)
        .reduce((sum, { ranges }) => sum + ranges[0]!.count, 0),
    )
    .filter((entries) => entries > 0)
}

const crossingsOf = async (name: string, answer: (event: ToolEvent) => unknown) => {
  const executor = new ToolExecutor(registry)
  const call = async () => {
    executor.enqueue([{ name, params: { a: "1" } }])
    for (let event = await executor.next(); event !== undefined; event = await executor.next())
      await answer(event)
  }
  // What is made for the first calls alone, such as the check of the tool's parameters, does not count.
  await call()
  await call()
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  await entriesByFile()
  await call()
  const entries = await entriesByFile()
  await session.post("Profiler.stopPreciseCoverage")
  return { files: entries.length, entries: entries.reduce((sum, count) => sum + count, 0) }
}

const approve = (params?: object) => (event: ToolEvent) =>
  event._tag === "AwaitingApproval" && event.approve(params && { params })

console.log(
  JSON.stringify({
    synchronous: await crossingsOf("plain", () => {}),
    approved: await crossingsOf("gated", approve()),
    edited: await crossingsOf("gated", approve({ a: "2" })),
  }),
)
