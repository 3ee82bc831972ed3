/** Runs a tool of oh-my-pi. */
import type { Tool } from "../pipeline/model/tool.ts"
import { adaptTool } from "./adapt-tool.ts"
import { customToolContext } from "./contexts.ts"
import type { AnyCustomTool } from "./custom-tool.ts"
import type { CustomToolHost } from "./host.ts"

/**
 * A Tool that calls `execute(callId, params, onUpdate, ctx, signal)` once it is approved; a tool that says that it only
 * reads needs no approval, unless `host.approval` says otherwise.
 *
 * - An update is a `Delta`: its new text is the content, all of it `partial`.
 * - What is thrown is the call's Error, and so is a result with `isError`, whose content and details stay with it.
 * - What comes after a cancel or a time-out is dropped; a tool that ignores them is left behind.
 * - `details` are made plain JSON.
 *
 * Throws a TypeError for a name that model providers refuse and for parameters that have no JSON Schema.
 */
export const fromCustomTool = (tool: AnyCustomTool, host: CustomToolHost = {}): Tool =>
  adaptTool({
    tool,
    host,
    runtime: "omp",
    execute: ({ params, call, onUpdate, cwd }) =>
      tool.execute(call.callId, params, onUpdate, customToolContext(host, call, cwd), call.signal),
  })
