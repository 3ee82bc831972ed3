/** Draws a resolved action: one block for the call and its result. */
import type { ToolResult } from "../model/event.ts"
import type { RenderOptions } from "../model/tool.ts"

/** `Accept: <label>`, `Discard: <label>` or `Failed: <label>`, the reason, and the outcome. */
export const renderResolve = (result: ToolResult, _options: RenderOptions, params: unknown): string => {
  const { action, reason } = (params ?? {}) as { readonly action?: unknown; readonly reason?: unknown }
  const { label } = (result.output.details ?? {}) as { readonly label?: unknown }
  const verb = result.isError ? "Failed" : action === "discard" ? "Discard" : "Accept"
  const lines = [isText(label) ? `${verb}: ${label}` : verb]
  if (isText(reason)) lines.push(`Reason: ${reason}`)
  if (result.content !== "") lines.push("", result.content)
  return lines.join("\n")
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""
