/** All open questions of all agents, and all pending previews, oldest first. */
import { useEffect, useRef, useState } from "preact/hooks"
import type { PageState, QuestionRow } from "../state/page-state.ts"
import { Cards, itemsOf } from "./cards.tsx"
import { ChosenBar, waitsWithOthers } from "./chosen-bar.tsx"
import type { Choice } from "./question-card.tsx"
import type { Source } from "./source.ts"
import { visibleLine } from "./texts.tsx"
import { timeOfDay } from "./times.ts"
import { useSettled } from "./use-settled.ts"

/** How many cards are drawn; further ones follow as these are answered. */
const maxShown = 50

/** The list of what waits for a person. */
export const Inbox = (props: {
  readonly source: Source
  readonly state: PageState
  readonly onOpen: (key: number) => void
}) => {
  const { source, state, onOpen } = props
  const items = itemsOf(state)
  const shown = items.slice(0, maxShown)
  // A new note moves all cards.
  const isSettled = useSettled([...state.notes, { id: "|" }, ...shown].map(({ id }) => id).join(" "))
  const [said, setSaid] = useState("")
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const ids = [...chosen].filter((id) => {
    const question = state.questions.get(id)
    return question !== undefined && question.isSent === undefined
  })
  const choiceOf = (question: QuestionRow): Choice | undefined => {
    if (!waitsWithOthers(question, state.questions.values())) return undefined
    const { id } = question
    const others = ids.filter((each) => each !== id)
    return {
      isChosen: ids.includes(id),
      choose: (isChosen) => setChosen(new Set(isChosen ? [...others, id] : others)),
    }
  }
  const card = { source, isSettled, onOpen, say: setSaid }
  const more = items.length - shown.length
  const heading = useRef<HTMLHeadingElement>(null)
  // A removed card loses the focus: keyboard users continue from here, not from the start of the page.
  const hadFocus = useRef(false)
  useEffect(() => {
    if (hadFocus.current && document.activeElement === document.body) heading.current?.focus()
  })
  return (
    <section
      class="inbox"
      aria-label="Inbox"
      onFocusCapture={() => {
        hadFocus.current = true
      }}
      onPointerDownCapture={() => {
        hadFocus.current = false
      }}
    >
      <h2 ref={heading} tabIndex={-1}>
        Inbox <span class="count">{items.length}</span>
      </h2>
      <p class="note" role="status">
        {said}
      </p>
      <ul class="told" aria-label="Notes" aria-live="polite">
        {state.notes.map(({ id, kind, text, at }) => (
          <li key={id} class={`is-${kind}`}>
            <time>{timeOfDay(at)}</time> {visibleLine(text)}
          </li>
        ))}
      </ul>
      <p class="hidden" role="status">
        {items.length === 0 ? "" : `${items.length} waiting in the inbox`}
      </p>
      {items.length === 0 ? <p class="none">Nothing waits for you.</p> : undefined}
      <Cards {...card} items={shown} choiceOf={choiceOf} />
      {ids.length === 0 ? undefined : <ChosenBar {...card} ids={ids} clear={() => setChosen(new Set())} />}
      {more > 0 ? <p class="none">{more} more come up when these are answered.</p> : undefined}
    </section>
  )
}
