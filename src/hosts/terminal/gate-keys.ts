/** `y`, `n` and `a` decide the gate on show. */
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { BlockView } from "./block-view.ts"
import type { KeyPress } from "./keyboard.ts"

/** True if the key was a decision. Pasted text never is one. */
export const decideGate = (key: KeyPress, view: BlockView, executor: ToolExecutor): boolean => {
  const callId = view.gate
  if (callId === undefined || key.pasted || key.ctrl || key.meta) return false
  switch (key.text.toLowerCase()) {
    case "y":
      if (executor.approve(callId)) view.approved(callId)
      return true
    case "a":
      if (executor.approve(callId, { remember: true })) view.approved(callId)
      return true
    case "n":
      if (executor.deny(callId)) view.denied(callId)
      return true
    default:
      return false
  }
}

/** Denies everything that waits for a decision; gives how many calls. */
export const denyAll = (view: BlockView, executor: ToolExecutor): number => {
  const waiting = [...view.waiting]
  for (const callId of waiting) {
    executor.deny(callId)
    view.denied(callId)
  }
  return waiting.length
}
