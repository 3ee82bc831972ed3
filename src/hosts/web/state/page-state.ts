/** The state of a page: a row for each call, each open question and each pending preview. Plain JSON except for the maps. */

/**
 * What a call does, or how it ended. `held`: it was enqueued as `requested`, and is not decided yet. `limited`: a limit of
 * its tool prevents its start.
 */
export type CallStatus =
  | "queued"
  | "held"
  | "limited"
  | "running"
  | "waiting"
  | "complete"
  | "error"
  | "denied"
  | "cancelled"

/** The kind of a part of a call's bar. `wait`: for the answer to an effect. */
export type SpanKind = "handler" | "gate" | "wait" | "finally"

/** A part of a call's bar. Times are epoch milliseconds. */
export interface SpanRow {
  readonly kind: SpanKind
  readonly name: string
  readonly from: number
  /** Absent while the part continues. */
  readonly to?: number
  readonly failed?: true
}

/** Who decided on a call: the kind, in the executor's terms, and a person's or a rule set's name. */
export interface DecidedRow {
  readonly kind: string
  readonly name?: string
}

/** One call. */
export interface CallRow {
  /** Its number in the order of enqueueing. Unlike a call id, never reused. */
  readonly key: number
  readonly callId: string
  /** For a nested call: the id of its outer call. */
  readonly parentId?: string
  readonly agentId: string
  readonly lane: string
  readonly name: string
  /** One line for people. */
  readonly title: string
  readonly background: boolean
  readonly status: CallStatus
  readonly queuedAt: number
  /** The limit that the call waits at, or has waited at. */
  readonly limit?: string
  /** When it began to wait there. */
  readonly limitedAt?: number
  readonly decidedBy?: DecidedRow
  readonly startedAt?: number
  readonly endedAt?: number
  readonly spans: ReadonlyArray<SpanRow>
  /** Counts the changes of its details. */
  readonly revision: number
  /** Whether its result is kept as a task's, and can be taken. */
  readonly kept?: true
}

/** An open question: a gate, or a held call. */
export interface QuestionRow {
  readonly id: string
  /** The key of the call. */
  readonly key: number
  /** For a nested call: the id of its outer call. */
  readonly parentId?: string
  readonly agentId: string
  readonly name: string
  readonly title: string
  readonly label?: string
  /** For a gate of people with names: whose approvals count, and how many there are. */
  readonly people?: string
  /** The tag of the effect that the host carries out; absent at a gate. */
  readonly effect?: string
  readonly askedAt: number
  /** Set if a page's answer is stored, and waits for a process that runs the call. */
  readonly isSent?: true
  /** When the wait for an answer ends. */
  readonly expiresAt?: number
}

/** A pending preview. */
export interface ActionRow {
  readonly actionId: string
  readonly agentId: string
  readonly label: string
  readonly sourceToolName: string
  readonly at: number
  /** The call that staged it. */
  readonly key?: number
  /** Set if a page's decision is stored, and waits for a process that runs the calls. */
  readonly isSent?: true
}

/** A question of a tool of another agent. */
export interface DialogRow {
  readonly id: string
  readonly kind: "confirm" | "select" | "input" | "editor"
  readonly title: string
  readonly message?: string
  /** The options of a choice. */
  readonly options?: ReadonlyArray<string>
  /** The initial text of the field. */
  readonly text?: string
  readonly placeholder?: string
  readonly at: number
  /** The call that asks. */
  readonly key?: number
  readonly name?: string
  /** Set if the question is too long to be shown whole. */
  readonly isCut?: true
}

/** A message of a tool of another agent. */
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
  /** Set if another process runs the calls: only what is stored is known then. */
  readonly isStore?: true
}

/** Everything that a page shows before something is opened. Each map is ordered oldest first. */
export interface PageState {
  readonly info: PageInfo
  readonly calls: ReadonlyMap<number, CallRow>
  readonly questions: ReadonlyMap<string, QuestionRow>
  readonly actions: ReadonlyMap<string, ActionRow>
  readonly dialogs: ReadonlyMap<string, DialogRow>
  /** The last notes. */
  readonly notes: ReadonlyArray<NoteRow>
  /** Whether the executor was shut down. */
  readonly ended: boolean
  /** Why the state may be out of date. */
  readonly trouble?: string
}

/** The state as it is sent and written to files. */
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

/** The state before any change. */
export const emptyState = (info: PageInfo): PageState => ({
  info,
  calls: new Map(),
  questions: new Map(),
  actions: new Map(),
  dialogs: new Map(),
  notes: [],
  ended: false,
})

/** Converts a state for the wire. */
export const plainState = (state: PageState): PlainState => ({
  ...state,
  calls: [...state.calls.values()],
  questions: [...state.questions.values()],
  actions: [...state.actions.values()],
  dialogs: [...state.dialogs.values()],
})

/** Reads a state from the wire. */
export const readState = (plain: PlainState): PageState => ({
  ...plain,
  calls: new Map(plain.calls.map((call) => [call.key, call])),
  questions: new Map(plain.questions.map((question) => [question.id, question])),
  actions: new Map(plain.actions.map((action) => [action.actionId, action])),
  dialogs: new Map(plain.dialogs.map((dialog) => [dialog.id, dialog])),
})
