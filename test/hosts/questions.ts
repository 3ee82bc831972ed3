/** Questions as an executor asks them, made by hand. Each is answered once, and notes how. */
import type { AwaitingApprovalEvent, DelegateEvent, HostEffect, ToolEvent } from "../../src/index.ts"

export interface Asked<E extends ToolEvent> {
  readonly event: E
  /** What the call was told; undefined while it waits. */
  answer: string | undefined
  /** Nobody waits for the answer any more. */
  dead: boolean
}

const answering = <E extends ToolEvent>(make: (answer: (text: string) => boolean) => E): Asked<E> => {
  const asked: Asked<E> = {
    event: make((text) => {
      if (asked.dead || asked.answer !== undefined) return false
      asked.answer = text
      return true
    }),
    answer: undefined,
    dead: false,
  }
  return asked
}

export const approvalOf = (callId: string, agentId = "main"): Asked<AwaitingApprovalEvent> =>
  answering((answer) => ({
    _tag: "AwaitingApproval",
    agentId,
    callId,
    name: "tool",
    params: {},
    background: false,
    approve: () => answer("approved"),
    deny: (reason = "denied") => answer(reason),
  }))

export const effectOf = (callId: string, effect: HostEffect, agentId = "main"): Asked<DelegateEvent> =>
  answering((answer) => ({
    _tag: "Delegate",
    agentId,
    callId,
    effect,
    succeed: () => answer("succeeded"),
    fail: (message) => answer(message),
  }))

export const open: HostEffect = { _tag: "IdeOpen", path: "/file" }
export const preview: HostEffect = { _tag: "IdeShowPreview", preview: { path: "/file", content: "text" } }
export const diff: HostEffect = { _tag: "IdeShowDiffPreview", path: "/file", edits: [] }
export const close: HostEffect = { _tag: "IdeClosePreview" }

export const cancelled = (callId: string, agentId = "main"): ToolEvent => ({
  _tag: "Cancelled",
  agentId,
  callId,
  name: "tool",
  content: "Cancelled",
})
