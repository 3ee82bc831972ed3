/** How events change the page's state. Pure, and the same on the server and in the browser. */
import { Draft } from "./draft.ts"
import type {
  ActionRow,
  CallRow,
  CallStatus,
  DecidedRow,
  DialogRow,
  NoteRow,
  PageState,
  QuestionRow,
  SpanKind,
  SpanRow,
} from "./page-state.ts"

/** A change, as it is sent to pages. */
export type Change =
  | { readonly _tag: "Queued"; readonly call: CallRow }
  | { readonly _tag: "Limited"; readonly key: number; readonly limit: string; readonly at: number }
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
  | { readonly _tag: "Decided"; readonly key: number; readonly by: DecidedRow }
  /** The call runs with parameters that were edited at its gate. */
  | { readonly _tag: "Renamed"; readonly key: number; readonly title: string }
  | { readonly _tag: "Backgrounded"; readonly key: number }
  | {
      readonly _tag: "Ended"
      readonly key: number
      readonly at: number
      readonly status: CallStatus
      readonly kept?: true
      readonly by?: DecidedRow
    }
  /** The task's result can be taken. */
  | { readonly _tag: "Kept"; readonly key: number }
  /** The task's result was taken, or dropped. */
  | { readonly _tag: "Forgotten"; readonly key: number }
  /** The details of these calls have changed. */
  | { readonly _tag: "Touched"; readonly keys: ReadonlyArray<number> }
  | { readonly _tag: "Staged"; readonly action: ActionRow }
  | { readonly _tag: "StagedBy"; readonly actionId: string; readonly key: number }
  | { readonly _tag: "Resolved"; readonly actionId: string }
  /** An answer to this question or preview is stored; or the answer took no effect, and the question is open again. */
  | { readonly _tag: "Sent"; readonly id: string; readonly isSent: boolean }
  | { readonly _tag: "DialogAsked"; readonly dialog: DialogRow }
  | { readonly _tag: "DialogOver"; readonly id: string }
  | { readonly _tag: "Said"; readonly note: NoteRow }
  /** The shown state may be out of date; or it is up to date again. */
  | { readonly _tag: "Trouble"; readonly message?: string }
  /** There are too many calls to show: these are dropped. */
  | { readonly _tag: "Dropped"; readonly keys: ReadonlyArray<number> }
  | { readonly _tag: "ShutDown" }

/** How many notes are shown. */
const maxNotes = 3

const isOver = (status: CallStatus): boolean =>
  status === "complete" || status === "error" || status === "denied" || status === "cancelled"

const isWait = ({ kind, to }: SpanRow): boolean => to === undefined && (kind === "gate" || kind === "wait")

/** The status of a call that has not ended, by its open spans. */
const statusOf = ({ status, spans }: CallRow): CallStatus => {
  if (isOver(status)) return status
  return spans.some(isWait) ? "waiting" : "running"
}

const replaced = <A>(list: ReadonlyArray<A>, index: number, value: A): Array<A> => {
  const copy = [...list]
  copy[index] = value
  return copy
}

const beginSpan = (
  draft: Draft,
  { key, index, kind, name, at }: Extract<Change, { _tag: "SpanBegan" }>,
): void => {
  const call = draft.call(key)
  if (call === undefined) return
  call.spans = replaced(call.spans, index, { kind, name, from: at })
  call.status = statusOf(call)
}

const endSpan = (draft: Draft, { key, index, at, failed }: Extract<Change, { _tag: "SpanEnded" }>): void => {
  const span = draft.calls.get(key)?.spans[index]
  if (span === undefined || span.to !== undefined) return
  const call = draft.call(key)!
  call.spans = replaced(call.spans, index, { ...span, to: at, ...(failed && { failed }) })
  call.status = statusOf(call)
}

const endCall = (draft: Draft, { key, at, status, kept, by }: Extract<Change, { _tag: "Ended" }>): void => {
  const call = draft.call(key)
  if (call === undefined) return
  call.status = status
  call.endedAt = at
  if (call.spans.some(({ to }) => to === undefined))
    call.spans = call.spans.map((span) => (span.to === undefined ? { ...span, to: at } : span))
  if (kept) call.kept = kept
  if (by !== undefined) call.decidedBy = by
}

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
      return draft.queue(change.call)
    case "Limited": {
      const call = draft.call(change.key)
      if (call === undefined) return
      call.status = "limited"
      call.limit = change.limit
      call.limitedAt = change.at
      return
    }
    case "Started": {
      const call = draft.call(change.key)
      if (call === undefined) return
      call.status = statusOf(call)
      call.startedAt = change.at
      call.title = change.title
      return
    }
    case "SpanBegan":
      return beginSpan(draft, change)
    case "SpanEnded":
      return endSpan(draft, change)
    case "Asked":
      draft.questions.set(change.question.id, change.question)
      return
    case "Answered":
      draft.questions.delete(change.id)
      return
    case "Decided": {
      const call = draft.call(change.key)
      if (call !== undefined) call.decidedBy = change.by
      return
    }
    case "Renamed": {
      const call = draft.call(change.key)
      if (call !== undefined) call.title = change.title
      return
    }
    case "Backgrounded": {
      const call = draft.call(change.key)
      if (call !== undefined) call.background = true
      return
    }
    case "Ended":
      return endCall(draft, change)
    case "Kept": {
      const call = draft.call(change.key)
      if (call !== undefined) call.kept = true
      return
    }
    case "Forgotten": {
      const call = draft.call(change.key)
      if (call !== undefined) delete call.kept
      return
    }
    case "Touched":
      for (const key of change.keys) draft.call(key)
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

/** The state after changes, in order. Returns a new state, and does not modify the given one. */
export const reduce = (state: PageState, changes: ReadonlyArray<Change>): PageState => {
  if (changes.length === 0) return state
  return after(new Draft(state, false), changes)
}

/** Applies changes in place, for the only owner of a state, because copying a large state takes long. */
export const reduceOwn = (state: PageState, changes: ReadonlyArray<Change>): PageState =>
  after(new Draft(state, true), changes)

const after = (draft: Draft, changes: ReadonlyArray<Change>): PageState => {
  for (const change of changes) apply(draft, change)
  return draft.finish()
}
