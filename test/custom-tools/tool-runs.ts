/** Small foreign tools, and executors that run what becomes of them. */

import { Type } from "@sinclair/typebox"
import { onTestFinished } from "vitest"
import type { AnyCustomTool } from "../../src/custom-tools/custom-tool.ts"
import type { AnyToolDefinition } from "../../src/custom-tools/extension.ts"
import { type CustomToolHost, fromCustomTool, fromPiTool } from "../../src/custom-tools/index.ts"
import { type Tool, ToolExecutor, type ToolExecutorOptions, ToolRegistry } from "../../src/index.ts"
import { type Script, ScriptedHost } from "../../src/testing.ts"

const base = { name: "sample", description: "A sample.", parameters: Type.Object({}) }

type Execute = (...parts: Array<unknown>) => unknown

/** A tool of oh-my-pi named `sample`. Its answer may be nonsense. */
export const customTool = (execute: Execute, options: Partial<AnyCustomTool> = {}): AnyCustomTool => ({
  ...base,
  execute: execute as AnyCustomTool["execute"],
  ...options,
})

/** A tool of pi named `sample`. */
export const piTool = (execute: Execute, options: Partial<AnyToolDefinition> = {}): AnyToolDefinition => ({
  ...base,
  execute: execute as AnyToolDefinition["execute"],
  ...options,
})

/** A host that approves everything unasked. */
export const trusting: CustomToolHost = { approval: false }

export const executorFor = (tool: Tool, options?: ToolExecutorOptions): ToolExecutor => {
  const executor = new ToolExecutor(new ToolRegistry([tool]), options)
  onTestFinished(() => executor.shutdown())
  return executor
}

/** Runs one call of a tool to its end; gives its events. */
export const eventsOf = (tool: Tool, params: unknown = {}, script?: Script) =>
  new ScriptedHost(executorFor(tool), script).run([{ callId: "c", name: tool.name, params }])

/** The event that ends a call of an oh-my-pi tool that answers so. */
export const endOf = async (execute: Execute, options?: Partial<AnyCustomTool>) =>
  (await eventsOf(fromCustomTool(customTool(execute, options), trusting))).at(-1)

/** What an `execute` of pi is called with. */
export const piArguments = async (argumentOrder?: "current" | "legacy") => {
  let received: Array<unknown> = []
  const execute = (...parts: Array<unknown>) => {
    received = parts
    return { content: [] }
  }
  await eventsOf(fromPiTool(piTool(execute), trusting, argumentOrder && { argumentOrder }))
  return received
}
