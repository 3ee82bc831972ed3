import { expect, it, vi } from "vitest"

it("an executor has the validator loaded once the process is idle, and no call waits for that", async () => {
  vi.resetModules()
  const { ToolExecutor, ToolRegistry } = await import("../../src/index.ts")
  const { compileParameters } = await import("../../src/schema/validation.ts")
  const validator = compileParameters("tool", { type: "object", properties: {} })
  expect(new ToolExecutor(new ToolRegistry([])).inspect()).toEqual([])
  await new Promise(setImmediate)
  // Resolves behind the load that began before.
  await import("ajv")
  await new Promise(setImmediate)
  expect(validator.validate({})).toEqual({ _tag: "Valid", params: {} })
})
