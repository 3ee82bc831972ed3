/** What a page knows: a row for each call, each open question and each preview that waits. Plain JSON but for the maps. */

/** Where a call stands, or how it ended. `held`: it was enqueued as `requested`, and nobody has decided yet. */
export type CallStatus =
  | "queued"
  | "held"
  | "running"
  | "waiting"
  | "complete"
  | "error"
  | "denied"
  | "cancelled"

/** What a part of a call's bar stands for. `wait`: for the answer to an effect. */
export type SpanKind = "handler" | "gate" | "wait" | "finally"

/** A part of a call's bar. Times are epoch milliseconds. */
export interface SpanRow {
  readonly kind: SpanKind
  readonly name: string
  readonly from: number
  /** Not there while it goes on. */
  readonly to?: number
  readonly failed?: true
}

/** One call. */
export interface CallRow {
  /** Its place in the order of enqueueing. Unlike a call id it is never used again. */
  readonly key: number
  readonly callId: string
  readonly agentId: string
  readonly lane: string
  readonly name: string
  /** One line for people. */
  readonly title: string
  readonly background: boolean
  readonly status: CallStatus
  readonly queuedAt: number
  readonly startedAt?: number
  readonly endedAt?: number
  readonly spans: ReadonlyArray<SpanRow>
  /** Counts what changed in what is told of it when it is opened. */
  readonly revision: number
  /** Whether its result is kept as a task's: it can be taken. */
  readonly kept?: true
}

/** An open question: a gate, or a call that is held. */
export interface QuestionRow {
  readonly id: string
  /** The call's. */
  readonly key: number
  readonly agentId: string
  readonly name: string
  readonly title: string
  readonly label?: string
  /** The tag of the effect that its host is to carry out; not there at a gate. */
  readonly effect?: string
  readonly askedAt: number
  /** Set where an answer of a page is stored, and waits for a process that runs the call. */
  readonly isSent?: true
  /** When nobody's answer is waited for any more. */
  readonly expiresAt?: number
}

/** A preview that waits to be applied or discarded. */
export interface ActionRow {
  readonly actionId: string
  readonly agentId: string
  readonly label: string
  readonly sourceToolName: string
  readonly at: number
  /** The call that staged it. */
  readonly key?: number
  /** Set where a decision of a page is stored, and waits for a process that runs the calls. */
  readonly isSent?: true
}

/** What a tool of another agent asks its user. */
export interface DialogRow {
  readonly id: string
  readonly kind: "confirm" | "select" | "input" | "editor"
  readonly title: string
  readonly message?: string
  /** What can be chosen. */
  readonly options?: ReadonlyArray<string>
  /** What stands in the field at first. */
  readonly text?: string
  readonly placeholder?: string
  readonly at: number
  /** The call that asks, and its tool. */
  readonly key?: number
  readonly name?: string
  /** Set where it is too long to be shown whole. */
  readonly isCut?: true
}

/** What a tool of another agent tells its user. */
export interface NoteRow {
  readonly id: string
  readonly kind: "info" | "warning" | "error"
  readonly text: string
  readonly at: number
}

/** What the page is about. */
export interface PageInfo {
  readonly title: string
  /** Whether calls can be made from the page. */
  readonly calls: boolean
  /** Set where another process runs the calls: what it does not store is not known here. */
  readonly isStore?: true
}

/** All that a page shows before something is opened. The oldest come first in each map. */
export interface PageState {
  readonly info: PageInfo
  readonly calls: ReadonlyMap<number, CallRow>
  readonly questions: ReadonlyMap<string, QuestionRow>
  readonly actions: ReadonlyMap<string, ActionRow>
  readonly dialogs: ReadonlyMap<string, DialogRow>
  /** The last ones. */
  readonly notes: ReadonlyArray<NoteRow>
  /** Whether the executor was shut down. */
  readonly ended: boolean
  /** Why nothing new is known at the moment. */
  readonly trouble?: string
}

/** The state as it is sent and written down. */
export interface PlainState {
  readonly info: PageInfo
  readonly calls: ReadonlyArray<CallRow>
  readonly questions: ReadonlyArray<QuestionRow>
  readonly actions: ReadonlyArray<ActionRow>
  readonly dialogs: ReadonlyArray<DialogRow>
  readonly notes: ReadonlyArray<NoteRow>
  readonly ended: boolean
  readonly trouble?: string
}

/** Nothing has happened yet. */
export const emptyState = (info: PageInfo): PageState => ({
  info,
  calls: new Map(),
  questions: new Map(),
  actions: new Map(),
  dialogs: new Map(),
  notes: [],
  ended: false,
})

/** For the wire. */
export const plainState = (state: PageState): PlainState => ({
  ...state,
  calls: [...state.calls.values()],
  questions: [...state.questions.values()],
  actions: [...state.actions.values()],
  dialogs: [...state.dialogs.values()],
})

/** From the wire. */
export const readState = (plain: PlainState): PageState => ({
  ...plain,
  calls: new Map(plain.calls.map((call) => [call.key, call])),
  questions: new Map(plain.questions.map((question) => [question.id, question])),
  actions: new Map(plain.actions.map((action) => [action.actionId, action])),
  dialogs: new Map(plain.dialogs.map((dialog) => [dialog.id, dialog])),
})
