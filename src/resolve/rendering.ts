/** Draws a resolved action: one block for the call and its result. */
import type { ToolResult } from "../pipeline/event.ts"
import type { RenderOptions } from "../pipeline/tool.ts"

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value !== "" ? value : undefined

/** `Accept: <label>`, `Discard: <label>` or `Failed: <label>`, the reason, and what came of it. */
export const renderResolve = (result: ToolResult, _options: RenderOptions, params: unknown): string => {
  const { action, reason } = (params ?? {}) as { readonly action?: unknown; readonly reason?: unknown }
  const { label } = (result.output.details ?? {}) as { readonly label?: unknown }
  const verb = result.isError ? "Failed" : action === "discard" ? "Discard" : "Accept"
  const head = text(label) === undefined ? verb : `${verb}: ${label}`
  const lines = text(reason) === undefined ? [head] : [head, `Reason: ${reason}`]
  return result.content === "" ? lines.join("\n") : [...lines, "", result.content].join("\n")
}
