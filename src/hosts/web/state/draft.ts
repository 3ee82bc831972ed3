/** A page's state during changes. */
import type { Mutable } from "../../../model/mutable.ts"
import type { ActionRow, CallRow, DialogRow, NoteRow, PageState, QuestionRow } from "./page-state.ts"

/** The maps of a state, each copied at its first change, as is each call; `isOwn`: changed in place. */
export class Draft {
  private readonly state: PageState
  private readonly isOwn: boolean
  private ownCalls: Map<number, CallRow> | undefined
  private ownQuestions: Map<string, QuestionRow> | undefined
  private ownActions: Map<string, ActionRow> | undefined
  private ownDialogs: Map<string, DialogRow> | undefined
  notes: ReadonlyArray<NoteRow>
  ended: boolean
  trouble: string | undefined

  constructor(state: PageState, isOwn: boolean) {
    this.state = state
    this.isOwn = isOwn
    this.ended = state.ended
    this.trouble = state.trouble
    this.notes = state.notes
  }

  get calls(): Map<number, CallRow> {
    this.ownCalls ??= this.own(this.state.calls)
    return this.ownCalls
  }

  get questions(): Map<string, QuestionRow> {
    this.ownQuestions ??= this.own(this.state.questions)
    return this.ownQuestions
  }

  get actions(): Map<string, ActionRow> {
    this.ownActions ??= this.own(this.state.actions)
    return this.ownActions
  }

  get dialogs(): Map<string, DialogRow> {
    this.ownDialogs ??= this.own(this.state.dialogs)
    return this.ownDialogs
  }

  private own<K, V>(map: ReadonlyMap<K, V>): Map<K, V> {
    return this.isOwn ? (map as Map<K, V>) : new Map(map)
  }

  /** Copies the call: the change that brought it is not modified. */
  queue(call: CallRow): void {
    this.calls.set(call.key, this.isOwn ? { ...call } : call)
  }

  /** A new revision of a call, for writing; undefined if the call is no longer shown. */
  call(key: number): Mutable<CallRow> | undefined {
    const call = this.calls.get(key)
    if (call === undefined) return undefined
    const next: Mutable<CallRow> = this.isOwn ? call : { ...call }
    next.revision += 1
    if (!this.isOwn) this.calls.set(key, next)
    return next
  }

  finish(): PageState {
    const { info, calls, questions, actions, dialogs } = this.state
    return {
      info,
      calls: this.ownCalls ?? calls,
      questions: this.ownQuestions ?? questions,
      actions: this.ownActions ?? actions,
      dialogs: this.ownDialogs ?? dialogs,
      notes: this.notes,
      ended: this.ended,
      ...(this.trouble !== undefined && { trouble: this.trouble }),
    }
  }
}
