/** Gives the user's answers to gates, under the user's name. Explains an answer that did not count, or was not sufficient. */

import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { ListedAnswer } from "../../pipeline/questions/answer-list.ts"
import { noteOn } from "../named-gate.ts"
import type { BlockView } from "./block-view.ts"
import { visibleLine } from "./render-text.ts"

/** The context of a terminal's answers. */
export interface GateAnswering {
  readonly executor: ToolExecutor
  readonly view: BlockView
  /** The user. Without one, gates of people with names cannot be answered. */
  readonly by?: string | undefined
  say(text: string): void
}

/** Answers gates; returns how many answers took effect. */
export const answerGates = (
  answers: ReadonlyArray<ListedAnswer>,
  { executor, view, by, say }: GateAnswering,
): number => {
  const outcomes = executor.answer(answers, by === undefined ? undefined : { by })
  for (const [index, outcome] of outcomes.entries()) {
    const { callId, took } = outcome
    const note = noteOn(outcome)
    if (note !== undefined) {
      say(visibleLine(note))
      if (took) view.voted(callId, by)
      view.putOff(callId)
    } else if (answers[index]!.approve === undefined) view.denied(callId)
    else view.approved(callId)
  }
  return outcomes.filter(({ took }) => took).length
}

/** Denies all waiting calls; returns how many denials took effect. */
export const denyAll = (answering: GateAnswering): number =>
  answerGates(
    [...answering.view.waiting].map((callId) => ({ callId, deny: true })),
    answering,
  )
