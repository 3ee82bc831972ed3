/** Answers the chosen questions at once, and none that came later. */
import type { QuestionRow } from "../state/page-state.ts"
import type { Source } from "./source.ts"
import { useAnswer } from "./use-answer.ts"

/** Whether a question is one of several of the same agent and tool, which can be chosen together. */
export const waitsWithOthers = (
  { agentId, name, effect }: QuestionRow,
  questions: Iterable<QuestionRow>,
): boolean => {
  if (effect !== undefined) return false
  let count = 0
  for (const other of questions)
    if (other.effect === undefined && other.agentId === agentId && other.name === name) count += 1
  return count > 1
}

/** The buttons for the chosen questions. */
export const ChosenBar = (props: {
  readonly source: Source
  readonly ids: ReadonlyArray<string>
  readonly isSettled: () => boolean
  readonly say: (text: string) => void
  readonly clear: () => void
}) => {
  const { ids, clear } = props
  const { isBusy, send } = useAnswer(props)
  const answer = (verdict: "approve" | "deny") => void send("answer", { ids, verdict })
  return (
    <div class="row chosen">
      <button type="button" class="good" disabled={isBusy} onClick={() => answer("approve")}>
        Approve {ids.length} chosen
      </button>
      <button type="button" disabled={isBusy} onClick={() => answer("deny")}>
        Deny {ids.length} chosen
      </button>
      <span class="grow" />
      <button type="button" onClick={clear}>
        Choose none
      </button>
    </div>
  )
}
