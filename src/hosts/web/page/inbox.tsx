/** All open questions of all agents, and all pending previews, the oldest first. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import type { ActionRow, DialogRow, PageState, QuestionRow } from "../state/page-state.ts"
import { ChosenBar, waitsWithOthers } from "./chosen-bar.tsx"
import { DialogCard } from "./dialog-card.tsx"
import { EffectCard } from "./effect-card.tsx"
import { PreviewCard } from "./preview-card.tsx"
import { type Choice, QuestionCard } from "./question-card.tsx"
import type { Source } from "./source.ts"
import { visibleLine } from "./texts.tsx"
import { timeOfDay } from "./times.ts"

/** How many cards are drawn; further ones follow as these are answered. */
const maxShown = 50
/** Milliseconds after a move of the cards in which a click decides nothing: it was meant for another card. */
const settleTime = 400
/** The time of a move before the cards are painted at their new positions. */
const notPainted = Number.POSITIVE_INFINITY

type Item =
  | { readonly _tag: "Question"; readonly id: string; readonly at: number; readonly question: QuestionRow }
  | { readonly _tag: "Preview"; readonly id: string; readonly at: number; readonly action: ActionRow }
  | { readonly _tag: "Dialog"; readonly id: string; readonly at: number; readonly dialog: DialogRow }

const itemsOf = ({ questions, actions, dialogs }: PageState): Array<Item> => {
  const items: Array<Item> = []
  for (const [id, question] of questions) items.push({ _tag: "Question", id, at: question.askedAt, question })
  for (const [id, action] of actions) items.push({ _tag: "Preview", id, at: action.at, action })
  for (const [id, dialog] of dialogs) items.push({ _tag: "Dialog", id, at: dialog.at, dialog })
  return items.sort((one, other) => one.at - other.at)
}

const placeOf = (item: string | { readonly id: string }): string =>
  typeof item === "string" ? item : item.id

/** The latest preview of each agent: only that one can be resolved. */
const latestOf = ({ actions }: PageState): ReadonlySet<string> =>
  new Set(new Map([...actions.values()].map(({ agentId, actionId }) => [agentId, actionId])).values())

/** The current second, while something counts down. */
const useSeconds = (source: Source, isCounting: boolean): number => {
  const [now, setNow] = useState(source.now())
  useEffect(() => {
    if (!isCounting) return
    setNow(source.now())
    const timer = setInterval(() => setNow(source.now()), 1000)
    return () => clearInterval(timer)
  }, [isCounting, source])
  return now
}

/** Whether the cards have not moved for long enough that a click is meant for the card. */
const useSettled = (order: string): (() => boolean) => {
  const moved = useRef({ order, at: Number.NEGATIVE_INFINITY })
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

/** The list of what waits for a person. */
export const Inbox = (props: {
  readonly source: Source
  readonly state: PageState
  readonly onOpen: (key: number) => void
}) => {
  const { source, state, onOpen } = props
  const items = itemsOf(state)
  const shown = items.slice(0, maxShown)
  const latest = latestOf(state)
  const now = useSeconds(
    source,
    [...state.questions.values()].some(({ expiresAt }) => expiresAt !== undefined),
  )
  // A new note moves all cards.
  const isSettled = useSettled([...state.notes, "|", ...shown].map(placeOf).join(" "))
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
  const more = items.length - shown.length
  const heading = useRef<HTMLHeadingElement>(null)
  // A removed card loses the focus: a user of the keyboard goes on from here, and not from the start of the page.
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
      <ol class="cards">
        {shown.map((item) => {
          const card = { source, isSettled, onOpen, say: setSaid }
          if (item._tag === "Question" && item.question.effect !== undefined)
            return <EffectCard key={item.id} {...card} question={item.question} />
          if (item._tag === "Question")
            return (
              <QuestionCard
                key={item.id}
                {...card}
                question={item.question}
                now={now}
                choice={choiceOf(item.question)}
              />
            )
          if (item._tag === "Dialog") return <DialogCard key={item.id} {...card} dialog={item.dialog} />
          return (
            <PreviewCard
              key={item.id}
              {...card}
              action={item.action}
              revision={state.calls.get(item.action.key ?? -1)?.revision}
              isLatest={latest.has(item.id)}
              isStore={state.info.isStore === true}
            />
          )
        })}
      </ol>
      {ids.length === 0 ? undefined : (
        <ChosenBar
          source={source}
          ids={ids}
          isSettled={isSettled}
          say={setSaid}
          clear={() => setChosen(new Set())}
        />
      )}
      {more > 0 ? <p class="none">{more} more come up when these are answered.</p> : undefined}
    </section>
  )
}
