/** The message that reminds a model of a pending preview. Hosts put it into the conversation, hidden from the user. */
import type { ToolOutput } from "../output/output.ts"

/** A message for the conversation. `text` is for the model; `hidden`: hosts do not show it to people. */
export interface ResolveReminder {
  readonly kind: "resolve-reminder"
  readonly hidden: true
  readonly text: string
  /** The tool whose preview is pending. */
  readonly details: { readonly toolName: string }
}

const text = [
  "<system-reminder>",
  "This is a preview. Call the `resolve` tool to apply or discard these changes.",
  "</system-reminder>",
].join("\n")

/** The reminder for a tool's preview. */
export const resolveReminder = (sourceToolName: string): ResolveReminder => ({
  kind: "resolve-reminder",
  hidden: true,
  text,
  details: { toolName: sourceToolName },
})

/** Why calls did not run in a turn that had to call `resolve`. */
export const withheldMessage =
  "Tool call was not executed: call the `resolve` tool to apply or discard the pending action before using other tools."

const hint = (label: string): string =>
  `Nothing is changed yet. Pending: ${label}. Call the \`resolve\` tool with action "apply" to make these changes, or "discard" to drop them.`

const [hintStart, hintEnd] = hint("\n").split("\n") as [string, string]

/** The text of a result for people: without the hint that `withHint` has added for the model. */
export const withoutHint = (content: string): string => {
  const start = content.endsWith(hintEnd) ? content.lastIndexOf(hintStart) : -1
  return start === -1 ? content : content.slice(0, start).replace(/\n$/, "")
}

/** A preview with a line that names the pending action, and what the model can do about it. */
export const withHint = (output: ToolOutput | undefined, label: string): ToolOutput => ({
  ...output,
  content: [
    ...(output?.content ?? []),
    {
      type: "text",
      text: hint(label),
    },
  ],
})
