/** `y`, `n` and `a` decide the visible gate, space and Enter turn its pages, End goes to the last one. */
import { answerGates, type GateAnswering } from "./gate-answers.ts"
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
const approve = (key: KeyPress, callId: string, answering: GateAnswering): void => {
  if (key.inBurst === true || !answering.view.isGateRead) return
  const remember = key.text.toLowerCase() === "a"
  answerGates([{ callId, approve: remember ? { remember } : true }], answering)
}

/** Handles a key for the gate; returns whether it was one. Neither pasted text nor a key that was typed ahead decides. */
export const decideGate = (key: KeyPress, answering: GateAnswering): boolean => {
  const { view } = answering
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
      approve(key, callId, answering)
      return true
    case "n":
      answerGates([{ callId, deny: true }], answering)
      return true
    default:
      return false
  }
}
