/** `y`, `n` and `a` decide the visible gate, space and Enter turn its pages, End goes to the last one. */
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { BlockView } from "./block-view.ts"
import type { KeyPress } from "./keyboard.ts"
import type { PageTurn } from "./pager.ts"

/** The keys that turn pages, by their names. */
export const pageKeys: ReadonlyMap<string, PageTurn> = new Map([
  ["space", "next"],
  ["return", "next"],
  ["enter", "next"],
  ["pagedown", "next"],
  ["pageup", "back"],
  ["end", "end"],
])

/** Approves only if the whole gate has been on the screen, and the key came alone. */
const approve = (key: KeyPress, callId: string, view: BlockView, executor: ToolExecutor): void => {
  if (key.inBurst === true || !view.isGateRead) return
  const remember = key.text.toLowerCase() === "a"
  if (executor.approve(callId, { remember })) view.approved(callId)
}

/** True if the key was for the gate. Neither pasted text nor a key that was typed ahead decides. */
export const decideGate = (key: KeyPress, view: BlockView, executor: ToolExecutor): boolean => {
  const callId = view.gate
  if (callId === undefined || key.pasted || key.ctrl || key.meta) return false
  const way = pageKeys.get(key.name ?? "")
  if (way !== undefined) {
    view.turnPage(way)
    return true
  }
  switch (key.text.toLowerCase()) {
    case "y":
    case "a":
      approve(key, callId, view, executor)
      return true
    case "n":
      if (executor.deny(callId)) view.denied(callId)
      return true
    default:
      return false
  }
}

/** Denies all waiting calls; returns their number. */
export const denyAll = (view: BlockView, executor: ToolExecutor): number => {
  const waiting = [...view.waiting]
  for (const callId of waiting) {
    executor.deny(callId)
    view.denied(callId)
  }
  return waiting.length
}
