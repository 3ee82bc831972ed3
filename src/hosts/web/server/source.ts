/**
 * The subject of a page: reports changes, returns details, and carries out a person's requests. The server uses executors
 * and stores only through this interface.
 */
import type { EffectAnswer } from "../../../durable/requests.ts"
import type { ApproveOptions } from "../../../model/event.ts"
import type { ListedApproval, Taken } from "../../../pipeline/questions/answer-list.ts"
import { noteOn } from "../../named-gate.ts"
import type { CallDetail, QuestionDetail, ToolDetail } from "../state/detail.ts"
import type { CallRow } from "../state/page-state.ts"
import type { Change } from "../state/reduce.ts"

/** Called with each change. */
export type OnChange = (change: Change) => void

/** Whether a request took effect, with a message. */
export interface Took {
  readonly took: boolean
  readonly message?: string
}

/** A page's answer: at a gate, or to an effect that the host carries out. */
export type Answer =
  | { readonly verdict: "approve" | "deny"; readonly options: ApproveOptions }
  | { readonly verdict: "respond"; readonly answer: EffectAnswer }

/** Converts an answer at a gate to an element of a list of answers. */
export const listed = ({
  verdict,
  options,
}: Exclude<Answer, { readonly verdict: "respond" }>): GateAnswer => {
  if (verdict === "deny") return { deny: options.reason ?? true }
  return { approve: Object.keys(options).length === 0 || options }
}

type GateAnswer = { readonly approve: ListedApproval } | { readonly deny: true | string }

/** A person's decision on a preview. */
export interface Resolution {
  readonly actionId: string
  readonly action: "apply" | "discard"
  readonly reason: string
}

/** A request about a call: end it, send it to the background, take its result after it has ended there, or undo its changes. */
export type TaskAction = "cancel" | "background" | "take" | "undo"

/** A call that a person makes. */
export interface PageCall {
  readonly name: string
  readonly params: unknown
  readonly background: boolean
}

/** The subject of a page. An answer to something that is over has no effect, and reports that. */
export interface PageSource {
  /** Starts to report changes; returns a function that stops it. */
  start(): () => void
  /** The unfinished call with this id; undefined if another process runs it. */
  active(callId: string): { readonly key: number; readonly name: string } | undefined
  /** The details of a call; undefined if it is no longer shown. */
  call(row: CallRow): CallDetail | undefined
  /** The details of a question; undefined if it is over. */
  question(id: string): QuestionDetail | undefined
  /** The tools that the page can call; undefined if it can call none. */
  tools(): ReadonlyArray<ToolDetail> | undefined
  // `by`: who answers.

  /** Answers one question, or several in the same way. */
  answer(ids: ReadonlyArray<string>, answer: Answer, by: string | undefined): Took | Promise<Took>
  resolve(resolution: Resolution, by: string | undefined): Took | Promise<Took>
  /** `key`: the key of the call. */
  task(key: number, action: TaskAction): Took | Promise<Took>
  /** Enqueues a call, and returns its id. Throws for a tool that the page cannot call, and for an invalid call. */
  enqueue(call: PageCall): string
}

/** For a question that is over. */
export const tooLate = {
  took: false,
  message: "This was answered elsewhere, or its call has ended.",
} as const satisfies Took

/** Summarises which of several answers took effect, and why others did not. */
export const tookOf = (outcomes: ReadonlyArray<Taken>): Took => {
  const taken = outcomes.filter(({ took }) => took).length
  const missed =
    outcomes.length > 1 && taken < outcomes.length
      ? [`${taken} of ${outcomes.length} answers took effect.`]
      : []
  const notes = outcomes.flatMap((outcome) => noteOn(outcome) ?? [])
  const message = [...missed, ...new Set(notes)].join(" ")
  return { took: taken > 0, ...(message !== "" && { message }) }
}

/** For an answer of another kind than the question. */
export const noAnswer: Took = { took: false, message: "This is no answer to that question." }

/** For a preview that is over. */
export const decidedElsewhere: Took = { took: false, message: "This was decided elsewhere." }

/** For a preview that is not its agent's latest. */
export const notLatest = (label: string): Took => ({
  took: false,
  message: `Decide about “${label}” first: it came after this one.`,
})

/** For a result that is taken. */
export const taken: Took = { took: true, message: "Taken: the executor keeps its result no longer." }

/** For a missing result. */
export const takenElsewhere: Took = {
  took: false,
  message: "Its result was taken already, or it still runs.",
}

/** For a call that is to be taken back. */
export const inInbox: Took = { took: true, message: "Its preview is in the inbox." }

/** For a call that has ended. */
export const hasEnded: Took = { took: false, message: "It has ended already." }
