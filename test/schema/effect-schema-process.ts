/** Prints what a tool with schemas of Effect makes of its calls. The test runs it where modules are loaded in other ways. */
import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "../../src/index.ts"
import { everyKind } from "./effect-schemas.ts"

const tool = defineTool({
  name: "show",
  description: "",
  parameters: everyKind,
  outputSchema: everyKind,
  compose: (params) =>
    pipeline().andThen(() => {
      const made = [typeof params.count, params.when instanceof Date, params.ids instanceof Set, params.depth]
      const structured = { ...valid, ids: ["b"] }
      return Step.Output({ content: [{ type: "text", text: JSON.stringify(made) }], structured })
    }),
})

const valid = {
  count: "3",
  when: "2026-01-02T03:04:05.000Z",
  ids: ["a"],
  kind: "one",
  tree: { children: [] },
}

const executor = new ToolExecutor(new ToolRegistry([tool]))
const run = async (params: unknown) => {
  const { content, output } = await executor.run({ name: "show", params } as never)
  return { content, structured: output.structured }
}
const results = [await run(valid), await run({ ...valid, count: "x" }), await run({ ...valid, tree: 1 })]
console.log(JSON.stringify({ parameters: tool.parameters, outputSchema: tool.outputSchema, results }))
