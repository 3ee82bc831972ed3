/** How a card of the inbox begins: what asks, of whom, and since when. */
import type { ComponentChildren } from "preact"
import { visibleLine } from "./texts.tsx"
import { timeOfDay } from "./times.ts"

/** `open`: opens the call that is meant, where that is shown. `children`: stand at its end. */
export const CardHead = (props: {
  readonly name: string
  readonly agentId: string
  readonly at: number
  readonly open: (() => void) | undefined
  readonly children?: ComponentChildren
}) => {
  const name = <b>{visibleLine(props.name)}</b>
  return (
    <header>
      {props.open === undefined ? (
        name
      ) : (
        <button type="button" class="link" onClick={props.open}>
          {name}
        </button>
      )}
      <span class="agent">{visibleLine(props.agentId)}</span>
      <time>{timeOfDay(props.at)}</time>
      {props.children}
    </header>
  )
}

/** Stands where an answer stood that a process is to take. */
export const AnswerStored = () => (
  <p class="note">Your answer is stored. It waits for a process that runs these calls.</p>
)
