/** An extension as an author writes it, in TypeScript against our types, on a real executor. */

import { fileURLToPath } from "node:url"
import { expect, expectTypeOf, it } from "vitest"
import { type ExtensionAPI, fromPiTool, loadExtensions } from "../../../src/custom-tools/index.ts"
import { defineTool, pipeline, Step, ToolExecutor, ToolRegistry } from "../../../src/index.ts"
import { recordingLogger } from "./load-sources.ts"

const touch = defineTool({
  name: "touch",
  description: "Pretends to touch a file.",
  parameters: { type: "object", properties: { path: { type: "string" } } },
  compose: (params) => pipeline().andThen(() => Step.Output(`touched ${(params as { path: string }).path}`)),
})

it("guards the calls of an executor and adds a tool at the start of the session", async () => {
  const sample = fileURLToPath(new URL("../samples/guard-extension.ts", import.meta.url))
  const host = { logger: recordingLogger(), approval: false, flags: { protected: "/secret" } }
  const { runner, errors } = await loadExtensions([sample], process.cwd(), { host })
  expect(errors).toEqual([])

  const registry = new ToolRegistry([touch])
  await using executor = new ToolExecutor(registry, { hooks: runner.hooks })
  runner.attach({
    activeTools: (agentId) =>
      executor
        .agent(agentId)
        .definitions()
        .map(({ name }) => name),
    allTools: () => registry.definitions(() => true),
    setActiveTools: (agentId, names) => executor.agent(agentId).setActiveTools(names),
    registerTool: ({ tool }) => registry.register(fromPiTool(tool, host), { replace: true }),
  })
  await runner.emit({ reason: "start" })

  const blocked = await executor.run({ name: "touch", params: { path: "/secret/a" } })
  expect(blocked).toMatchObject({ status: "denied", content: "touch must not touch /secret/a" })
  const stamped = await executor.run({ callId: "c7", name: "touch", params: { path: "/tmp/a" } })
  expect(stamped).toMatchObject({ status: "complete", content: "touched /tmp/a\n[c7]" })
  const counts = await executor.run({ callId: "c8", name: "guard_counts" })
  expect(counts.content).toBe('{"blocked":1,"stamped":1,"cwd":true}\n[c8]')
  await runner.runCommand("guard-reset")
  expect((await executor.run({ callId: "c9", name: "guard_counts" })).content).toBe(
    '{"blocked":0,"stamped":0,"cwd":true}\n[c9]',
  )
})

it("types the events that tools use, and lets any other name pass", () => {
  const author = (pi: ExtensionAPI): void => {
    pi.on("session_start", (event) => {
      expectTypeOf(event.reason).toEqualTypeOf<"startup" | "reload" | "new" | "resume" | "fork">()
    })
    pi.on("tool_call", (event) => {
      expectTypeOf(event.input).toEqualTypeOf<Record<string, unknown>>()
      return { block: true }
    })
    pi.on("tool_result", async (event) => {
      expectTypeOf(event.isError).toEqualTypeOf<boolean>()
      return { isError: false }
    })
    pi.on("of_tomorrow", (event) => {
      expectTypeOf(event.type).toEqualTypeOf<string>()
    })
  }
  const names: Array<string> = []
  author({ on: (name: string) => names.push(name) } as unknown as ExtensionAPI)
  expect(names).toEqual(["session_start", "tool_call", "tool_result", "of_tomorrow"])
})
