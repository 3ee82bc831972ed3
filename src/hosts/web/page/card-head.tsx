/** The head of a card in the inbox: the call that asks, its agent, and since when. */
import type { ComponentChildren } from "preact"
import { visibleLine } from "./texts.tsx"
import { timeOfDay } from "./times.ts"
import type { Answering } from "./use-answer.ts"

/** The props of every card. */
export interface CardProps extends Answering {
  /** Opens a call; undefined for the cards at the call that is open. */
  readonly onOpen: ((key: number) => void) | undefined
}

/** Opens a call, if it is shown and not open. */
export const opener = ({ onOpen }: CardProps, key: number | undefined): (() => void) | undefined =>
  onOpen === undefined || key === undefined ? undefined : () => onOpen(key)

/** `children`: rendered at the end. */
export const CardHead = (props: {
  readonly name: string
  readonly agentId: string
  /** For a nested call: the id of its outer call. */
  readonly parentId?: string | undefined
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
      {props.parentId === undefined ? undefined : (
        <span class="agent">↳ in {visibleLine(props.parentId)}</span>
      )}
      <time>{timeOfDay(props.at)}</time>
      {props.children}
    </header>
  )
}

/** Replaces the buttons once an answer is stored, until a process takes it. */
export const AnswerStored = () => (
  <p class="note">Your answer is stored. It waits for a process that runs these calls.</p>
)
