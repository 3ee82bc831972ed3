/** Runs a tool of pi. */
import type { Tool } from "../model/tool.ts"
import { adaptTool } from "./adapt-tool.ts"
import { extensionContext } from "./contexts.ts"
import type { Execution } from "./execute-tool.ts"
import type { AnyToolDefinition } from "./extension.ts"
import type { CustomToolHost } from "./host.ts"
import type { ArgumentOrder } from "./loaded-tool.ts"

/** The options of `fromPiTool`. */
export interface FromPiToolOptions {
  /** Default `"current"`. */
  readonly argumentOrder?: ArgumentOrder
}

/** Calls a tool with its arguments in the order of its version. */
export const callPiTool = (
  tool: AnyToolDefinition,
  { params, call, onUpdate, cwd }: Execution,
  host: CustomToolHost,
  argumentOrder: ArgumentOrder = "current",
): unknown => {
  const ctx = extensionContext(host, call, cwd)
  const { callId, signal } = call
  const rest = argumentOrder === "legacy" ? [onUpdate, ctx, signal] : [signal, onUpdate, ctx]
  return (tool.execute as Execute).call(tool, callId, params, ...rest)
}

type Execute = (...parts: Array<unknown>) => unknown

/**
 * Makes a Tool that calls `execute(callId, params, signal, onUpdate, ctx)`, or, if `argumentOrder` is `"legacy"`,
 * `(callId, params, onUpdate, ctx, signal)`. Everything else is as in `fromCustomTool`.
 *
 * Throws a TypeError for a name that model providers refuse, and for parameters without a JSON Schema.
 */
export const fromPiTool = (
  tool: AnyToolDefinition,
  host: CustomToolHost = {},
  { argumentOrder }: FromPiToolOptions = {},
): Tool =>
  adaptTool({
    tool,
    host,
    runtime: "pi",
    execute: (execution) => callPiTool(tool, execution, host, argumentOrder),
  })
