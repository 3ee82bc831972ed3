/** The message that tells a model of a preview that waits. Hosts put it into the conversation, hidden from the user. */
import type { ToolOutput } from "../output/output.ts"

/** A message for the conversation. `text` is for the model; `hidden`: people are not shown it. */
export interface ResolveReminder {
  readonly kind: "resolve-reminder"
  readonly hidden: true
  readonly text: string
  /** The tool whose preview waits. */
  readonly details: { readonly toolName: string }
}

const text = [
  "<system-reminder>",
  "This is a preview. Call the `resolve` tool to apply or discard these changes.",
  "</system-reminder>",
].join("\n")

/** The reminder of a preview of this tool. */
export const resolveReminder = (sourceToolName: string): ResolveReminder => ({
  kind: "resolve-reminder",
  hidden: true,
  text,
  details: { toolName: sourceToolName },
})

/** Why the calls of a turn that had to resolve were not run. */
export const withheldMessage =
  "Tool call was not executed: call the `resolve` tool to apply or discard the pending action before using other tools."

const hint = (label: string): string =>
  `Nothing is changed yet. Pending: ${label}. Call the \`resolve\` tool with action "apply" to make these changes, or "discard" to drop them.`

const [hintStart, hintEnd] = hint("\n").split("\n") as [string, string]

/** The text of a result without what was put behind it for the model, as people are shown it. */
export const withoutHint = (content: string): string => {
  const start = content.endsWith(hintEnd) ? content.lastIndexOf(hintStart) : -1
  return start === -1 ? content : content.slice(0, start).replace(/\n$/, "")
}

/** A preview with the line that says what is true now, and what the model can do about it. */
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
