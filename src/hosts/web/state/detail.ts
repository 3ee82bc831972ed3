/** What is told of a call and of a question when it is opened. Plain JSON; texts are bounded, and say where they were cut. */
import type { CallRow } from "./page-state.ts"

/** Who decided, in the words of the executor. */
export interface DecisionDetail {
  readonly kind: string
  readonly rule?: string
  readonly source?: string
  readonly command?: string
  readonly reason?: string
}

/** A part of a call's plan, and whether it is behind the call. */
export interface PartDetail {
  readonly kind: "handler" | "approval" | "resolve" | "finally"
  readonly name: string
  readonly label?: string
  readonly person?: true
  readonly state: "done" | "now" | "ahead" | "skipped"
}

/** A call that is opened. */
export interface CallDetail {
  readonly row: CallRow
  /** As JSON. */
  readonly params: string
  readonly editedParams?: string
  readonly plan: ReadonlyArray<PartDetail>
  /** What it streamed; its end, where that was much. */
  readonly output: string
  /** What the model is told; of a call that waits, what it shows. */
  readonly content: string
  /** Whether `diff`, or else `content`, is not all of it. */
  readonly isCut: boolean
  readonly diff?: string
  readonly decidedBy?: DecisionDetail
  /** Why it failed. */
  readonly reason?: string
  readonly because?: string
  readonly traceId?: string
  readonly staged?: { readonly actionId: string; readonly label: string }
  readonly cleanupErrors?: ReadonlyArray<string>
}

/** What `remember` can be set to, with the rules that it adds; none, where only the process that runs the call can say. */
export interface RememberDetail {
  readonly choice: "call" | "command" | "tool"
  /** In words. */
  readonly what: string
  readonly rules: ReadonlyArray<string>
}

/** A question that is opened: all that a person needs to decide. */
export interface QuestionDetail {
  readonly id: string
  /** As JSON. */
  readonly params: string
  /** Whether there is more of the parameters, the preview or the diff than is shown. */
  readonly isCut: boolean
  /** Set where it can be approved with other parameters. */
  readonly mayEdit?: true
  /** The JSON Schema of the parameters, where they may be edited, and it is known. */
  readonly schema?: unknown
  readonly preview?: string
  readonly diff?: string
  /** The parameters that the diff tells whole. */
  readonly told: ReadonlyArray<string>
  readonly because?: string
  /** Set where only a person is to answer. */
  readonly person?: true
  readonly remember: ReadonlyArray<RememberDetail>
  /** A pattern for just this call, to begin one of one's own with. */
  readonly pattern: string
}

/** A tool that can be called from the page. */
export interface ToolDetail {
  readonly name: string
  readonly description: string
  readonly schema: unknown
}
