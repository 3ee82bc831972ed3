/**
 * Runs in a process of its own: imports the modules that it is given, and prints the milliseconds of the processor. With
 * `--calls` also those of the first call of each of 20 tools that the first module defines.
 */
import type * as stepline from "stepline"
import { threadMillis } from "./measure.ts"

const urls = process.argv.slice(2).filter((argument) => argument !== "--calls")
let mark = threadMillis()
const lap = (): number => {
  const before = mark
  mark = threadMillis()
  return mark - before
}

const modules: Array<typeof stepline> = []
for (const url of urls) modules.push(await import(url))
const laps = [lap()]
if (process.argv.includes("--calls")) {
  const { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } = modules[0]!
  const text = { type: "string" } as const
  const tools = Array.from({ length: 20 }, (_, index) =>
    defineTool({
      name: `tool_${index}`,
      description: "Gives its text.",
      parameters: {
        type: "object",
        properties: {
          text,
          ...(index > 0 && {
            [`count${index}`]: { type: "integer", minimum: 0 },
            tags: { type: "array", items: { type: "string", enum: ["a", "b", "c"] } },
            place: { type: "object", properties: { line: { type: "integer" }, file: text } },
          }),
        },
        required: ["text"],
      },
      compose: (params) => pipeline().andThen(async () => Step.Output((params as { text: string }).text)),
    }),
  )
  const executor = new ToolExecutor(new ToolRegistry(tools))
  laps.push(lap())
  for (const { name } of tools) {
    executor.enqueue([{ name, params: { text: "hello" } }])
    while ((await executor.next())?._tag !== "Completed");
    laps.push(lap())
  }
}
console.log(JSON.stringify(laps))
