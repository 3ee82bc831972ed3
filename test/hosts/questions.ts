/** Questions as an executor asks them, made by hand, each answered once; and queues of them. */
import { HostEffectQueue } from "../../src/hosts/effect-queue.ts"
import type { AwaitingApprovalEvent, DelegateEvent, HostEffect, ToolEvent } from "../../src/index.ts"

const stamp = { seq: 1, at: 0 }

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
    because: "There is no rule for it.",
    ...stamp,
    approve: () => answer("approved"),
    deny: (reason = "denied") => answer(reason),
  }))

export const effectOf = (
  callId: string,
  effect: HostEffect,
  agentId = "main",
  sourceCallId?: string,
): Asked<DelegateEvent> =>
  answering((answer) => ({
    _tag: "Delegate",
    agentId,
    callId,
    ...(sourceCallId !== undefined && { sourceCallId }),
    effect,
    ...stamp,
    succeed: () => answer("succeeded"),
    fail: (message) => answer(message),
  }))

export const open: HostEffect = { _tag: "IdeOpen", path: "/file" }
export const preview: HostEffect = { _tag: "IdeShowPreview", preview: { path: "/file", content: "text" } }
export const diff: HostEffect = { _tag: "IdeShowDiffPreview", path: "/file", edits: [] }
export const close: HostEffect = { _tag: "IdeClosePreview" }

export const cancelled = (callId: string, agentId = "main"): ToolEvent => ({
  _tag: "Cancelled",
  by: "user",
  agentId,
  callId,
  name: "tool",
  content: "Cancelled",
  ...stamp,
})

const action = { agentId: "main", label: "Change", sourceToolName: "tool", ...stamp }

export const actionPending = (actionId: string, sourceCallId?: string): ToolEvent => ({
  _tag: "ActionPending",
  ...action,
  actionId,
  ...(sourceCallId !== undefined && { sourceCallId }),
})

export const actionResolved = (actionId: string): ToolEvent => ({
  _tag: "ActionResolved",
  ...action,
  actionId,
  outcome: "applied",
})

/** The end of a call that has staged an action. */
export const stagedEnd = (callId: string, actionId: string): ToolEvent => ({
  _tag: "Completed",
  agentId: "main",
  callId,
  name: "tool",
  content: "preview",
  output: { content: [] },
  ...stamp,
  staged: { actionId, label: "Change" },
})

export const queueOf = (...asked: ReadonlyArray<{ readonly event: ToolEvent }>): HostEffectQueue => {
  const queue = new HostEffectQueue()
  for (const { event } of asked) queue.push(event)
  return queue
}

/** The call ids of all that the queue hands out for now. */
export const takeAll = (queue: HostEffectQueue): Array<string> => {
  const ids: Array<string> = []
  for (let next = queue.take(); next !== undefined; next = queue.take()) ids.push(next.callId)
  return ids
}

export const succeed = (queue: HostEffectQueue, callId: string) =>
  (queue.find(callId) as DelegateEvent).succeed()
