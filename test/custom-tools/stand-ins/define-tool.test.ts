import { expect, expectTypeOf, it } from "vitest"
import { defineTool, type ExtensionAPI, type ToolDefinition, Type } from "../../../src/custom-tools/index.ts"

const parameters = Type.Object({ name: Type.String(), times: Type.Optional(Type.Number()) })

const greet = defineTool({
  name: "greet",
  description: "Greets.",
  parameters,
  execute: async (_toolCallId, params, signal) => {
    expectTypeOf(params).toEqualTypeOf<{ name: string; times?: number }>()
    expectTypeOf(signal).toEqualTypeOf<AbortSignal | undefined>()
    return {
      content: [{ type: "text", text: `hello ${params.name}` }],
      details: { length: params.name.length },
    }
  },
  renderCall: (args) => {
    expectTypeOf(args.name).toEqualTypeOf<string>()
    return args.name
  },
  renderResult: ({ details }) => {
    expectTypeOf(details).toEqualTypeOf<{ length: number } | undefined>()
    return String(details?.length)
  },
})

it("types a tool by its schema and by what it answers", async () => {
  expectTypeOf(greet).toEqualTypeOf<ToolDefinition<typeof parameters, { length: number }>>()
  const result = await greet.execute("call-1", { name: "you" }, undefined, undefined, {} as never)
  expect(result).toEqual({ content: [{ type: "text", text: "hello you" }], details: { length: 3 } })
})

it("gives what can be registered as it is", () => {
  const register = (pi: ExtensionAPI): void => {
    pi.registerTool(greet)
    pi.registerTool(
      defineTool({
        name: "plain",
        description: "Answers without details.",
        parameters: Type.Object({}),
        execute: async (_toolCallId, _params, _signal, onUpdate) => {
          onUpdate?.({ output: "…" })
          return { content: [] }
        },
      }),
    )
  }
  const tools: Array<ToolDefinition> = []
  register({ registerTool: (tool: ToolDefinition) => tools.push(tool) } as unknown as ExtensionAPI)
  expect(tools.map(({ name }) => name)).toEqual(["greet", "plain"])
  expect(tools[0]).toBe(greet)
})

it("refuses a tool that reads what its schema does not have", () => {
  const tool = defineTool({
    name: "wrong",
    description: "Reads a parameter that it does not take.",
    parameters,
    // @ts-expect-error: there is no `age`.
    execute: (_toolCallId, { age }) => ({ content: [{ type: "text", text: String(age) }] }),
  })
  expect(tool.name).toBe("wrong")
})
