/** Cards for what waits for a person: in the inbox, and in the open call. */
import type { ActionRow, DialogRow, PageState, QuestionRow } from "../state/page-state.ts"
import type { CardProps } from "./card-head.tsx"
import { DialogCard } from "./dialog-card.tsx"
import { EffectCard } from "./effect-card.tsx"
import { PreviewCard } from "./preview-card.tsx"
import { type Choice, QuestionCard } from "./question-card.tsx"
import { useSeconds } from "./use-seconds.ts"

/** Something that waits, since `at`; `call`: the key of its call, if that is shown. */
export type Item = { readonly id: string; readonly at: number; readonly call: number | undefined } & (
  | { readonly _tag: "Question"; readonly question: QuestionRow }
  | { readonly _tag: "Preview"; readonly action: ActionRow }
  | { readonly _tag: "Dialog"; readonly dialog: DialogRow }
)

/** Everything that waits, oldest first. */
export const itemsOf = ({ questions, actions, dialogs }: PageState): Array<Item> => {
  const items: Array<Item> = []
  for (const [id, question] of questions)
    items.push({ _tag: "Question", id, at: question.askedAt, call: question.key, question })
  for (const [id, action] of actions)
    items.push({ _tag: "Preview", id, at: action.at, call: action.key, action })
  for (const [id, dialog] of dialogs)
    items.push({ _tag: "Dialog", id, at: dialog.at, call: dialog.key, dialog })
  return items.sort((one, other) => one.at - other.at)
}

/** The latest preview of each agent: only that one can be resolved. */
const latestOf = ({ actions }: PageState): ReadonlySet<string> =>
  new Set(new Map([...actions.values()].map(({ agentId, actionId }) => [agentId, actionId])).values())

/** A card for each item. */
export const Cards = (
  props: CardProps & {
    readonly items: ReadonlyArray<Item>
    readonly choiceOf?: (question: QuestionRow) => Choice | undefined
  },
) => {
  const { items, choiceOf, ...card } = props
  const { state } = card.source
  const latest = latestOf(state)
  const now = useSeconds(
    card.source,
    items.some((item) => item._tag === "Question" && item.question.expiresAt !== undefined),
  )
  return (
    <ol class="cards">
      {items.map((item) => {
        const { id } = item
        if (item._tag === "Dialog") return <DialogCard key={id} {...card} dialog={item.dialog} />
        if (item._tag === "Preview")
          return (
            <PreviewCard
              key={id}
              {...card}
              action={item.action}
              revision={state.calls.get(item.call ?? -1)?.revision}
              isLatest={latest.has(id)}
              isStore={state.info.isStore === true}
            />
          )
        const { question } = item
        if (question.effect !== undefined) return <EffectCard key={id} {...card} question={question} />
        return <QuestionCard key={id} {...card} question={question} now={now} choice={choiceOf?.(question)} />
      })}
    </ol>
  )
}
