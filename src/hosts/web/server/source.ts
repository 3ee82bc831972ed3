/**
 * What a page is served of: it tells what happens, shows what is opened, and carries out what a person asks. The server knows
 * no more than this of executors and stores.
 */
import type { EffectAnswer } from "../../../durable/requests.ts"
import type { ApproveOptions } from "../../../pipeline/model/event.ts"
import type { CallDetail, QuestionDetail, ToolDetail } from "../state/detail.ts"
import type { CallRow } from "../state/page-state.ts"
import type { Change } from "../state/reduce.ts"

/** Told of each change as it happens. */
export type OnChange = (change: Change) => void

/** Whether it took effect, and what there is to say about that. */
export interface Took {
  readonly took: boolean
  readonly message?: string
  /** The result of a task that was taken. */
  readonly content?: string
}

/** What a page answers: at a gate, or to an effect that its host is to carry out. */
export type Answer =
  | { readonly verdict: "approve" | "deny"; readonly options: ApproveOptions }
  | { readonly verdict: "respond"; readonly answer: EffectAnswer }

/** What a person decides about a preview. */
export interface Resolution {
  readonly actionId: string
  readonly action: "apply" | "discard"
  readonly reason: string
}

/** What is done about a call: ended, sent to the background, or, once it has ended there, taken. */
export type TaskAction = "cancel" | "background" | "take"

/** A call that a person makes. */
export interface PageCall {
  readonly name: string
  readonly params: unknown
  readonly background: boolean
}

/** What a page is about. An answer to something that is over takes no effect, and says so. */
export interface PageSource {
  /** Begins to tell. Gives what ends that. */
  start(): () => void
  /** The call of this id that has not ended; undefined where another process runs it. */
  active(callId: string): { readonly key: number; readonly name: string } | undefined
  /** What is told of a call that is opened; undefined where it is shown no longer. */
  call(row: CallRow): CallDetail | undefined
  /** Undefined where it is over. */
  question(id: string): QuestionDetail | undefined
  /** The tools that may be called from the page; undefined where none may. */
  tools(): ReadonlyArray<ToolDetail> | undefined
  answer(id: string, answer: Answer): Took | Promise<Took>
  resolve(resolution: Resolution): Took | Promise<Took>
  /** `key`: of the call. */
  task(key: number, action: TaskAction): Took | Promise<Took>
  /** Gives the call's id. Throws for a tool that may not be called from the page, and for what is no call. */
  enqueue(call: PageCall): string
}

/** Of a question that is over. */
export const tooLate: Took = {
  took: false,
  message: "This was answered elsewhere, or its call has ended.",
}

/** Of an answer that is of another kind than what is asked. */
export const noAnswer: Took = { took: false, message: "This is no answer to that question." }

/** Of a preview that is over. */
export const decidedElsewhere: Took = { took: false, message: "This was decided elsewhere." }

/** Of a preview that is not its agent's latest. */
export const notLatest = (label: string): Took => ({
  took: false,
  message: `Decide about “${label}” first: it came after this one.`,
})

/** Of a result that is not there. */
export const takenElsewhere: Took = {
  took: false,
  message: "Its result was taken already, or it still runs.",
}

/** Of a call that is over. */
export const hasEnded: Took = { took: false, message: "It has ended already." }
