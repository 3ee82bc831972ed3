/** Runs a tool of oh-my-pi. */
import type { Tool } from "../model/tool.ts"
import { adaptTool } from "./adapt-tool.ts"
import { customToolContext } from "./contexts.ts"
import type { AnyCustomTool } from "./custom-tool.ts"
import type { Execution } from "./execute-tool.ts"
import type { CustomToolHost } from "./host.ts"

export const callCustomTool = (
  tool: AnyCustomTool,
  { params, call, onUpdate, cwd }: Execution,
  host: CustomToolHost,
): unknown => tool.execute(call.callId, params, onUpdate, customToolContext(host, call, cwd), call.signal)

/**
 * Makes a Tool that calls `execute(callId, params, onUpdate, ctx, signal)` once it is approved. A tool that declares itself
 * read-only needs no approval, unless `host.approval` requires one.
 *
 * - An update becomes a `Delta`: its new text is the content, the whole update `partial`.
 * - A thrown error becomes the call's Error, and so does a result with `isError`, whose content and details are kept.
 * - Everything after a cancel or a time-out is dropped; a tool that ignores them is abandoned.
 * - `details` are converted to plain JSON.
 *
 * Throws a TypeError for a name that model providers refuse, and for parameters without a JSON Schema.
 */
export const fromCustomTool = (tool: AnyCustomTool, host: CustomToolHost = {}): Tool =>
  adaptTool({
    tool,
    host,
    runtime: "omp",
    execute: (execution) => callCustomTool(tool, execution, host),
  })
