/** Detects whether clickable elements have stopped moving. */
import { useLayoutEffect, useRef } from "preact/hooks"

/** Milliseconds after a move of the cards during which a click decides nothing: it was meant for another card. */
const settleTime = 400
/** The time of a move before the cards are painted at their new positions. */
const notPainted = Number.POSITIVE_INFINITY

/**
 * Whether the cards have not moved for long enough that a click is meant for the card. `order`: their ids. `before`: what
 * was there before the first ones; default: nothing that a click could be meant for.
 */
export const useSettled = (order: string, before = order): (() => boolean) => {
  const moved = useRef({ order: before, at: Number.NEGATIVE_INFINITY })
  // Cards that are appended below move nothing.
  if (moved.current.order !== order) {
    const hasMoved = !order.startsWith(moved.current.order)
    moved.current = { order, at: hasMoved ? notPainted : moved.current.at }
  }
  // The cards are not visible at their new positions before they are painted, which may take time.
  useLayoutEffect(() => {
    const { current } = moved
    if (current.at !== notPainted) return
    requestAnimationFrame(() => {
      setTimeout(() => {
        current.at = performance.now()
      })
    })
  }, [order])
  return () => performance.now() - moved.current.at > settleTime
}
