/** How the page's state follows from what happens. Pure, and the same on the server and in the browser. */
import type {
  ActionRow,
  CallRow,
  CallStatus,
  DialogRow,
  NoteRow,
  PageState,
  QuestionRow,
  SpanKind,
  SpanRow,
} from "./page-state.ts"

/** Something that happened, as it is sent to pages. */
export type Change =
  | { readonly _tag: "Queued"; readonly call: CallRow }
  | { readonly _tag: "Started"; readonly key: number; readonly at: number; readonly title: string }
  | {
      readonly _tag: "SpanBegan"
      readonly key: number
      readonly index: number
      readonly kind: SpanKind
      readonly name: string
      readonly at: number
    }
  | {
      readonly _tag: "SpanEnded"
      readonly key: number
      readonly index: number
      readonly at: number
      readonly failed?: true
    }
  | { readonly _tag: "Asked"; readonly question: QuestionRow }
  | { readonly _tag: "Answered"; readonly id: string }
  | { readonly _tag: "Backgrounded"; readonly key: number }
  | {
      readonly _tag: "Ended"
      readonly key: number
      readonly at: number
      readonly status: CallStatus
      readonly kept?: true
    }
  /** The task's result is there to be taken. */
  | { readonly _tag: "Kept"; readonly key: number }
  /** The task's result was taken, or dropped. */
  | { readonly _tag: "Forgotten"; readonly key: number }
  /** What is told of these calls when they are opened has changed. */
  | { readonly _tag: "Touched"; readonly keys: ReadonlyArray<number> }
  | { readonly _tag: "Staged"; readonly action: ActionRow }
  | { readonly _tag: "StagedBy"; readonly actionId: string; readonly key: number }
  | { readonly _tag: "Resolved"; readonly actionId: string }
  /** An answer to this question or preview is stored; or it is asked again, for that took no effect. */
  | { readonly _tag: "Sent"; readonly id: string; readonly isSent: boolean }
  | { readonly _tag: "DialogAsked"; readonly dialog: DialogRow }
  | { readonly _tag: "DialogOver"; readonly id: string }
  | { readonly _tag: "Said"; readonly note: NoteRow }
  /** What is shown cannot be known to be up to date; or it can again. */
  | { readonly _tag: "Trouble"; readonly message?: string }
  /** There are too many calls to show: these are left out from here on. */
  | { readonly _tag: "Dropped"; readonly keys: ReadonlyArray<number> }
  | { readonly _tag: "ShutDown" }

/** Notes that are shown. */
const maxNotes = 3

/** The maps of a state, each copied when it is first written to. */
class Draft {
  private readonly state: PageState
  private ownCalls: Map<number, CallRow> | undefined
  private ownQuestions: Map<string, QuestionRow> | undefined
  private ownActions: Map<string, ActionRow> | undefined
  private ownDialogs: Map<string, DialogRow> | undefined
  notes: ReadonlyArray<NoteRow>
  ended: boolean
  trouble: string | undefined

  constructor(state: PageState) {
    this.state = state
    this.ended = state.ended
    this.trouble = state.trouble
    this.notes = state.notes
  }

  get calls(): Map<number, CallRow> {
    this.ownCalls ??= new Map(this.state.calls)
    return this.ownCalls
  }

  get questions(): Map<string, QuestionRow> {
    this.ownQuestions ??= new Map(this.state.questions)
    return this.ownQuestions
  }

  get actions(): Map<string, ActionRow> {
    this.ownActions ??= new Map(this.state.actions)
    return this.ownActions
  }

  get dialogs(): Map<string, DialogRow> {
    this.ownDialogs ??= new Map(this.state.dialogs)
    return this.ownDialogs
  }

  /** Makes another revision of a call, where it is still shown, and there is something to change. */
  call(key: number, change: (call: CallRow) => Partial<CallRow> | undefined): void {
    const call = this.calls.get(key)
    const changed = call && change(call)
    if (changed !== undefined) this.calls.set(key, { ...call!, ...changed, revision: call!.revision + 1 })
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

const isOver = (status: CallStatus): boolean =>
  status === "complete" || status === "error" || status === "denied" || status === "cancelled"

const isWait = ({ kind, to }: SpanRow): boolean => to === undefined && (kind === "gate" || kind === "wait")

/** What its open spans say of a call that is not over. */
const statusWith = (call: CallRow, spans: ReadonlyArray<SpanRow>): CallStatus => {
  if (isOver(call.status)) return call.status
  return spans.some(isWait) ? "waiting" : "running"
}

const replaced = <A>(list: ReadonlyArray<A>, index: number, value: A): Array<A> => {
  const copy = [...list]
  copy[index] = value
  return copy
}

const endSpan = (
  call: CallRow,
  { index, at, failed }: Extract<Change, { _tag: "SpanEnded" }>,
): Partial<CallRow> | undefined => {
  const span = call.spans[index]
  if (span === undefined || span.to !== undefined) return undefined
  const spans = replaced(call.spans, index, { ...span, to: at, ...(failed && { failed }) })
  return { spans, status: statusWith(call, spans) }
}

const endCall = (
  call: CallRow,
  { at, status, kept }: Extract<Change, { _tag: "Ended" }>,
): Partial<CallRow> => ({
  status,
  endedAt: at,
  spans: call.spans.map((span) => (span.to === undefined ? { ...span, to: at } : span)),
  ...(kept && { kept }),
})

const marked = <Row extends QuestionRow | ActionRow>(
  { isSent: _before, ...row }: Row,
  isSent: boolean,
): Row => ({ ...row, ...(isSent && { isSent }) }) as Row

const send = (draft: Draft, { id, isSent }: Extract<Change, { _tag: "Sent" }>): void => {
  const question = draft.questions.get(id)
  if (question !== undefined) draft.questions.set(id, marked(question, isSent))
  const action = draft.actions.get(id)
  if (action !== undefined) draft.actions.set(id, marked(action, isSent))
}

const apply = (draft: Draft, change: Change): void => {
  switch (change._tag) {
    case "Queued":
      draft.calls.set(change.call.key, change.call)
      return
    case "Started":
      return draft.call(change.key, (call) => ({
        status: statusWith(call, call.spans),
        startedAt: change.at,
        title: change.title,
      }))
    case "SpanBegan":
      return draft.call(change.key, (call) => {
        const { kind, name, at, index } = change
        const spans = replaced(call.spans, index, { kind, name, from: at })
        return { spans, status: statusWith(call, spans) }
      })
    case "SpanEnded":
      return draft.call(change.key, (call) => endSpan(call, change))
    case "Asked":
      draft.questions.set(change.question.id, change.question)
      return
    case "Answered":
      draft.questions.delete(change.id)
      return
    case "Backgrounded":
      return draft.call(change.key, () => ({ background: true }))
    case "Ended":
      return draft.call(change.key, (call) => endCall(call, change))
    case "Kept":
      return draft.call(change.key, () => ({ kept: true }))
    case "Forgotten":
      return draft.call(change.key, () => ({ kept: undefined }) as Partial<CallRow>)
    case "Touched":
      for (const key of change.keys) draft.call(key, () => ({}))
      return
    case "Staged":
      draft.actions.set(change.action.actionId, change.action)
      return
    case "StagedBy": {
      const action = draft.actions.get(change.actionId)
      if (action !== undefined) draft.actions.set(change.actionId, { ...action, key: change.key })
      return
    }
    case "Resolved":
      draft.actions.delete(change.actionId)
      return
    case "Sent":
      return send(draft, change)
    case "DialogAsked":
      draft.dialogs.set(change.dialog.id, change.dialog)
      return
    case "DialogOver":
      draft.dialogs.delete(change.id)
      return
    case "Said":
      draft.notes = [...draft.notes, change.note].slice(-maxNotes)
      return
    case "Trouble":
      draft.trouble = change.message
      return
    case "Dropped":
      for (const key of change.keys) draft.calls.delete(key)
      return
    case "ShutDown":
      draft.ended = true
  }
}

/** The state after what happened, in order. Gives another state, and leaves the one before as it was. */
export const reduce = (state: PageState, changes: ReadonlyArray<Change>): PageState => {
  if (changes.length === 0) return state
  const draft = new Draft(state)
  for (const change of changes) apply(draft, change)
  return draft.finish()
}
