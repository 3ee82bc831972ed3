/**
 * Finds a call's approval in the messages of a conversation. Like the SDK, trusts only the last message: an older approval
 * belongs to a call that has run. The application decides who may write these messages: it signs approvals with the SDK's
 * `experimental_toolApprovalSecret`.
 */

interface Part {
  readonly type?: unknown
  readonly toolCallId?: unknown
  readonly approvalId?: unknown
  readonly approved?: unknown
}

const partsOf = (message: unknown, role: string): ReadonlyArray<Part> => {
  const { role: own, content } = Object(message) as { readonly role?: unknown; readonly content?: unknown }
  return own === role && Array.isArray(content) ? content.map((part) => Object(part) as Part) : []
}

/** The id of a call's approval; undefined if the call was not approved. */
export const approvalIn = (messages: ReadonlyArray<unknown>, toolCallId: string): string | undefined => {
  const approved = new Set(
    partsOf(messages.at(-1), "tool")
      .filter((part) => part.type === "tool-approval-response" && part.approved === true)
      .map((part) => part.approvalId),
  )
  if (approved.size === 0) return undefined
  for (const message of messages) {
    for (const { type, toolCallId: of, approvalId } of partsOf(message, "assistant")) {
      if (type !== "tool-approval-request" || of !== toolCallId) continue
      if (typeof approvalId === "string" && approved.has(approvalId)) return approvalId
    }
  }
  return undefined
}
