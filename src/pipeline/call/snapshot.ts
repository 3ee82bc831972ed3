/**
 * A call as plain JSON, and the check of snapshots that are read. The pipeline is not stored: `compose` is pure, so the restored call
 * composes its pipeline again from the parameters and continues where it stood.
 */

import { type ToolOutput, toOutput } from "../../output/output.ts"
import type { RememberChoice } from "../../policy/index.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import type { ToolCall } from "../model/call.ts"
import type { DecidedBy } from "../model/decision.ts"
import type { ActionResolvedEvent } from "../model/event.ts"
import type { CallMemory, Resolution } from "../model/handler.ts"
import type { HostEffect } from "../model/host-effect.ts"
import type { Stopped } from "../model/outcome.ts"
import type { PipelinePart } from "../model/pipeline.ts"
import type { DurationInput } from "../model/step.ts"
import type { Then } from "./state.ts"

/** The snapshot version that this release writes and reads. */
export const snapshotVersion = 1

/** A pending action that a pipeline staged. Plain JSON. */
export interface StagedSnapshot {
  readonly actionId: string
  readonly label: string
  readonly sourceToolName: string
  readonly details?: unknown
  readonly source: { readonly name: string; readonly params: unknown }
  readonly staging: { readonly call: ToolCall; readonly at: number }
  readonly output?: ToolOutput
  readonly memory?: CallMemory
  /** The kinds and names of the pipeline's parts. */
  readonly shape: string
}

/** An open question. */
export type QuestionSnapshot =
  | {
      readonly kind: "approval"
      readonly label?: string
      readonly person?: true
      readonly because?: string
      /** Set if the host was not asked yet: rules and reviewers are then asked again. */
      readonly undecided?: true
    }
  | { readonly kind: "delegate"; readonly effect: HostEffect; readonly timeout?: DurationInput }

/** The progress of a call that has started. Plain JSON. */
export interface StandingSnapshot {
  /** The question that the call waits for. */
  readonly question?: QuestionSnapshot
  /** The question that the running handler asks with `context.delegate`. The handler asks again when it runs again. */
  readonly asking?: QuestionSnapshot
  /** When the question was asked, in epoch milliseconds, if that is known. */
  readonly askedAt?: number
  /** What follows after the cleanup, if the call is ending. */
  readonly then?: Then
  /** The next finally handler; absent if none is left. */
  readonly part?: number
  /** Set if the next handler has started, and so must not run again. */
  readonly begun?: true
  readonly at: number
  readonly shape: string
  readonly output?: ToolOutput
  /** Set if the output is a gate's preview of work that has not been done. */
  readonly previewed?: true
  readonly memory?: CallMemory
  readonly resolution?: Resolution
  readonly passed: number
  readonly decided: number
  readonly announced: boolean | "due"
  /** Set if `Started` was not emitted. */
  readonly untold?: true
  readonly cleanupErrors?: ReadonlyArray<string>
  readonly streamed?: string
  /** For how many milliseconds the call may still run; absent if there is no limit. */
  readonly timeLeft?: number
  /** The action that this call of `resolve` applies or discards. */
  readonly action?: StagedSnapshot
  /** Set if the call has applied or discarded the action, and is running its finally handlers. */
  readonly settled?: true
  /** The event that the call's end emits for the action. */
  readonly resolved?: ActionResolvedEvent
  /** A W3C `traceparent`, so that the restored call continues the same trace. */
  readonly traceParent?: string
  /** The action that the call staged. */
  readonly staged?: { readonly actionId: string; readonly label: string }
}

/**
 * A call as plain JSON, for `ToolExecutor.restore`. `queued`: the call has not started, or restarts. `waiting`: it waits for its host.
 * `staged`: it staged a pending action. `running` and `ending`: a journal stored the call in the middle of its work.
 */
export interface CallSnapshot {
  readonly version: typeof snapshotVersion
  readonly state: "queued" | "waiting" | "running" | "ending" | "staged"
  readonly call: ToolCall
  readonly edited?: boolean
  readonly remember?: RememberChoice
  readonly approval?: Resolution
  readonly decidedBy?: DecidedBy
  readonly refusal?: Stopped
  /** Set for a call that restarts with edited parameters: the gates that were decided, and the events that were emitted. */
  readonly again?: Pick<StandingSnapshot, "decided" | "announced" | "cleanupErrors">
  /** Epoch milliseconds, if known. */
  readonly createdAt?: number
  readonly startedAt?: number
  readonly standing?: StandingSnapshot
  readonly staged?: StagedSnapshot
}

/** The kinds and names of the parts, in order. A different shape means that the tool composes a different pipeline. */
export const shapeOf = (parts: ReadonlyArray<PipelinePart<unknown>>): string =>
  parts.map(({ kind, name }) => `${kind} ${name}`).join(", ")

/** Checks a snapshot. Throws a TypeError for a value that is no snapshot, and an Error for another version. */
export const readSnapshot = (value: unknown): CallSnapshot => {
  const snapshot = value as CallSnapshot
  if (!isPlainObject(value) || !isPlainObject(snapshot.call) || !states.has(snapshot.state))
    throw notASnapshot()
  if (snapshot.version !== snapshotVersion) {
    throw new Error(
      `This snapshot has version ${String(snapshot.version)}, and version ${snapshotVersion} is read: use the stepline that wrote it`,
    )
  }
  if (!isWhole(snapshot)) throw notASnapshot()
  return snapshot
}

const states: ReadonlySet<unknown> = new Set(["queued", "waiting", "running", "ending", "staged"])

const notASnapshot = () => new TypeError("Expected what `snapshot` gave: this is no snapshot of a call")

const isWhole = ({ state, standing, staged }: CallSnapshot): boolean => {
  if (state === "queued") return true
  if (state === "staged") return isStaged(staged)
  if (!isStanding(standing)) return false
  if (state === "running") return true
  return state === "waiting" ? isPlainObject(standing!.question) : isThen(standing!.then)
}

const isIndex = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

const isOutput = (output: unknown): boolean =>
  output === undefined || (isPlainObject(output) && toOutput(output) !== undefined)

const isThen = (then: Then | undefined): boolean =>
  isPlainObject(then) && (then._tag === "Restart" || (then._tag === "End" && isPlainObject(then.outcome)))

const isStaged = (staged: StagedSnapshot | undefined): boolean =>
  isPlainObject(staged) &&
  typeof staged.actionId === "string" &&
  typeof staged.label === "string" &&
  typeof staged.sourceToolName === "string" &&
  isPlainObject(staged.source) &&
  isPlainObject(staged.staging) &&
  isPlainObject(staged.staging.call) &&
  isIndex(staged.staging.at) &&
  isOutput(staged.output)

const isStanding = (standing: StandingSnapshot | undefined): boolean =>
  isPlainObject(standing) &&
  isIndex(standing.at) &&
  isIndex(standing.passed) &&
  isIndex(standing.decided) &&
  (standing.part === undefined || isIndex(standing.part)) &&
  isOutput(standing.output) &&
  (standing.action === undefined || isStaged(standing.action))
