/** The details of a call and of a question. Plain JSON; texts are bounded, and marked where they were cut. */
import type { CallRow } from "./page-state.ts"

/** Who decided, in the executor's terms. */
export interface DecisionDetail {
  readonly kind: string
  /** The people, if the host named them. */
  readonly people?: string
  readonly rule?: string
  readonly source?: string
  readonly command?: string
  readonly reason?: string
}

/** A part of a call's plan, and whether the call has passed it. */
export interface PartDetail {
  readonly kind: "handler" | "approval" | "resolve" | "finally"
  readonly name: string
  readonly label?: string
  readonly person?: true
  readonly state: "done" | "now" | "ahead" | "skipped"
}

/** The details of a call. */
export interface CallDetail {
  readonly row: CallRow
  /** As JSON. */
  readonly params: string
  readonly editedParams?: string
  readonly plan: ReadonlyArray<PartDetail>
  /** What the call streamed; only the end, if it is long. */
  readonly output: string
  /** The text for the model; for a waiting call, what it shows. */
  readonly content: string
  /** Whether `diff`, or without one `content`, is cut. */
  readonly isCut: boolean
  readonly diff?: string
  readonly decidedBy?: DecisionDetail
  /** Why the call failed. */
  readonly reason?: string
  readonly because?: string
  readonly traceId?: string
  readonly staged?: { readonly actionId: string; readonly label: string }
  readonly cleanupErrors?: ReadonlyArray<string>
  /** Its changes to files, one line for each path, and the call that has undone them. */
  readonly changed?: { readonly paths: ReadonlyArray<string>; readonly undoneBy?: string }
}

/** A choice to remember, with the rules that it adds; without rules if only the process that runs the call knows them. */
export interface RememberDetail {
  readonly choice: "call" | "command" | "tool"
  /** In words. */
  readonly what: string
  readonly rules: ReadonlyArray<string>
}

/** The details of a question: everything that a person needs to decide. */
export interface QuestionDetail {
  readonly id: string
  /** As JSON. */
  readonly params: string
  /** Whether the parameters, the preview or the diff are cut. */
  readonly isCut: boolean
  /** Set if the call can be approved with other parameters. */
  readonly mayEdit?: true
  /** The JSON Schema of the parameters, if they may be edited and it is known. */
  readonly schema?: unknown
  readonly preview?: string
  readonly diff?: string
  /** The parameters that the diff shows whole. */
  readonly told: ReadonlyArray<string>
  readonly because?: string
  /** Set if only a person may answer. */
  readonly person?: true
  readonly remember: ReadonlyArray<RememberDetail>
  /** Why there is nothing to remember. */
  readonly whyAsked?: string
  /** A pattern for just this call, to start a rule with. */
  readonly pattern: string
}

/** A tool that can be called from the page. */
export interface ToolDetail {
  readonly name: string
  readonly description: string
  readonly schema: unknown
}
