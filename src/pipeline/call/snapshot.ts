/**
 * A call as plain JSON: what is written down of it, and the check of what is read. `compose` is pure, so a pipeline is
 * composed again from its parameters and the call goes on where it stood.
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

/** What this stepline writes, and reads. */
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

/** What the host is asked. */
export type QuestionSnapshot =
  | {
      readonly kind: "approval"
      readonly label?: string
      readonly person?: true
      readonly because?: string
      /** Not put to the host yet: rules and reviewers are asked again. */
      readonly undecided?: true
    }
  | { readonly kind: "delegate"; readonly effect: HostEffect; readonly timeout?: DurationInput }

/** Where a call stands that has begun. Plain JSON. */
export interface StandingSnapshot {
  /** What it waits for, where it waits. */
  readonly question?: QuestionSnapshot
  /** What the handler that runs asks in its middle: it asks again when it runs again. */
  readonly asking?: QuestionSnapshot
  /** Epoch milliseconds when it was asked, where that is known. */
  readonly askedAt?: number
  /** What follows the cleanup, where it is ending. */
  readonly then?: Then
  /** The finally handler that is next; not there where none is left. */
  readonly part?: number
  /** Set where the handler that is next has begun, and must not run twice. */
  readonly begun?: true
  readonly at: number
  readonly shape: string
  readonly output?: ToolOutput
  /** Set where the output is what a gate shows, and nothing came of it yet. */
  readonly previewed?: true
  readonly memory?: CallMemory
  readonly resolution?: Resolution
  readonly passed: number
  readonly decided: number
  readonly announced: boolean | "due"
  /** Set where the host was not told of its start. */
  readonly untold?: true
  readonly cleanupErrors?: ReadonlyArray<string>
  readonly streamed?: string
  /** Milliseconds that it may still run; not there for no limit. */
  readonly timeLeft?: number
  /** The action that this call of `resolve` applies or discards. */
  readonly action?: StagedSnapshot
  /** Set where it has, and cleans up after it. */
  readonly settled?: true
  /** What its end tells of the action. */
  readonly resolved?: ActionResolvedEvent
  /** A W3C `traceparent`: what is traced of it from here on belongs to the same trace. */
  readonly traceParent?: string
  /** The action that it staged. */
  readonly staged?: { readonly actionId: string; readonly label: string }
}

/**
 * A call as plain JSON, for `ToolExecutor.restore`. `queued`: also held, and about to run. `waiting`: for its host. `staged`: its
 * action is. `running` and `ending` are what a journal writes of a call in the middle of its work.
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
  /** Of a call that runs again with edited parameters: the gates that were decided, and what its host knows. */
  readonly again?: Pick<StandingSnapshot, "decided" | "announced" | "cleanupErrors">
  /** Epoch milliseconds, where they are known. */
  readonly createdAt?: number
  readonly startedAt?: number
  readonly standing?: StandingSnapshot
  readonly staged?: StagedSnapshot
}

/** The kinds and names of parts, in order: the same where a pipeline is composed as it was. */
export const shapeOf = (parts: ReadonlyArray<PipelinePart<unknown>>): string =>
  parts.map(({ kind, name }) => `${kind} ${name}`).join(", ")

/** Throws a TypeError for what is no snapshot, and an Error for one of a newer version. */
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
