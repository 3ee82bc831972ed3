/**
 * A call as plain JSON: its data, under the names of the fields of `Call`, and the past of the runtime objects. The plan is not
 * stored: `compose` is pure, so a restored call composes its plan again.
 */

import type { ToolCall } from "../model/call.ts"
import type { CallMemory } from "../model/handler.ts"
import type { Stopped } from "../model/outcome.ts"
import type { PipelinePart } from "../model/pipeline.ts"
import type { ToolOutput } from "../output/output.ts"
import type { Call } from "../pipeline/call/call.ts"
import type { ActionLinks, Question, StateOf } from "../pipeline/call/state.ts"

/** The snapshot version that this release writes. Version 1 is read as well. */
export const snapshotVersion = 2

/** A pending action that a pipeline staged. Plain JSON. */
export interface StagedSnapshot {
  readonly actionId: string
  readonly label: string
  readonly sourceToolName: string
  readonly details?: unknown
  readonly source: { readonly name: string; readonly params: unknown }
  readonly staging: {
    readonly call: ToolCall
    readonly at: number
    readonly traceParent?: string | undefined
  }
  readonly output?: ToolOutput
  readonly memory?: CallMemory
  /** The kinds and names of the pipeline's parts. */
  readonly shape: string
  /** The version of the tool that composed them, if it had one. */
  readonly toolVersion?: string | undefined
}

/** The fields of a call that its snapshot has under the same names. A field that still has its first value is left out. */
export const storedFields = [
  "edited",
  "deduplicated",
  "remember",
  "approval",
  "decidedBy",
  "refusal",
  "started",
  "announced",
  "decided",
  "called",
  "madeWith",
  "cleanupErrors",
  "startedAt",
  "asked",
  "at",
  "attempts",
  "output",
  "memory",
  "receipts",
  "resolution",
  "passed",
  "resolved",
] as const satisfies ReadonlyArray<keyof Call>

type StoredData = Readonly<Partial<Pick<Call, (typeof storedFields)[number]>>>

/** A call as plain JSON, for `ToolExecutor.restore`. */
export interface CallSnapshot extends StoredData {
  readonly version: typeof snapshotVersion
  readonly call: ToolCall
  /**
   * Where the call continues. `Queued`: it has not started, or restarts with edited parameters. `Asking`: it waits for its host.
   * `Running` and `Cleaning`: a journal stored the call in the middle of its work. `Staged`: the call has ended, and `action` waits.
   */
  readonly state: StateOf<"Queued" | "Asking" | "Running" | "Cleaning"> | { readonly _tag: "Staged" }
  /** When the call was enqueued, in epoch milliseconds, if known. */
  readonly createdAt?: number | undefined
  /** The kinds and names of the pipeline's parts; absent if the call no longer needs any of them. */
  readonly shape?: string | undefined
  /** The version of the tool that composed them, if it had one. An action has its own. */
  readonly toolVersion?: string | undefined
  /** Whether the next handler has started, and so must not run again. */
  readonly begun?: boolean | undefined
  /** The question that the running handler asks with `context.delegate`. The handler asks again when it runs again. */
  readonly asking?: Question | undefined
  /** When the question was asked, in epoch milliseconds, if known. */
  readonly askedAt?: number | undefined
  /** Whether the output is a gate's preview of work that has not been done. */
  readonly previewed?: boolean | undefined
  readonly streamed?: string | undefined
  /** How many more milliseconds the call may run; absent if there is no limit. */
  readonly timeLeft?: number | undefined
  /** A W3C `traceparent`, so that the restored call continues the same trace. */
  readonly traceParent?: string | undefined
  /** The action that this call of `resolve` applies or discards, or the action that waits. */
  readonly action?: StagedSnapshot | undefined
  /** Whether the call has applied or discarded the action, and is running its finally handlers. */
  readonly settled?: boolean | undefined
  /** The action that the call staged. */
  readonly staged?: ActionLinks["staged"]
}

/** The snapshot of a call that has not begun. `refusal`: the call ends with this outcome when it has its turn. */
export const queuedSnapshot = (call: ToolCall, createdAt?: number, refusal?: Stopped): CallSnapshot => ({
  version: snapshotVersion,
  call,
  state: { _tag: "Queued" },
  ...(createdAt !== undefined && { createdAt }),
  ...(refusal !== undefined && { refusal }),
})

/** The kinds and names of the parts, in order. A different shape means that the tool composes a different pipeline. */
export const shapeOf = (parts: ReadonlyArray<PipelinePart<unknown>>): string =>
  parts.map(({ kind, name }) => `${kind} ${name}`).join(", ")
