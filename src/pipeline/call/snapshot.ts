/**
 * A call at rest, written down and read back. `compose` is pure, so a pipeline is composed again from its parameters and
 * the call goes on where it stood. What is read is untrusted: it is checked before anything is made of it.
 */
import type { RememberChoice } from "../../policy/index.ts"
import type { ResolveParams } from "../../resolve/definition.ts"
import type { ToolCall } from "../model/call.ts"
import type { DecidedBy } from "../model/decision.ts"
import { messageOf } from "../model/failure.ts"
import type { CallMemory, Resolution } from "../model/handler.ts"
import type { HostEffect } from "../model/host-effect.ts"
import type { Stopped } from "../model/outcome.ts"
import { type ToolOutput, toOutput } from "../model/output.ts"
import { finallyPartsOf, type PipelinePart } from "../model/pipeline.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { DurationInput } from "../model/step.ts"
import type { Tool } from "../model/tool.ts"
import { readChoice } from "./asking.ts"
import { type CallRecord, makeRecord, type Question } from "./state.ts"

const version = 1

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

type QuestionSnapshot =
  | {
      readonly kind: "approval"
      readonly label?: string
      readonly person?: true
      readonly because?: string
      /** Not put to the host yet: rules and reviewers are asked again. */
      readonly undecided?: true
    }
  | { readonly kind: "delegate"; readonly effect: HostEffect; readonly timeout?: DurationInput }

/** Where a call that waits for its host stands. Plain JSON. */
interface StandingSnapshot {
  readonly question: QuestionSnapshot
  readonly at: number
  readonly shape: string
  readonly output?: ToolOutput
  readonly memory?: CallMemory
  readonly resolution?: Resolution
  readonly passed: number
  readonly decided: number
  readonly announced: boolean
  readonly cleanupErrors?: ReadonlyArray<string>
  readonly streamed?: string
  /** Milliseconds that it may still run; not there for no limit. */
  readonly timeLeft?: number
  /** The action that this call of `resolve` applies or discards. */
  readonly action?: StagedSnapshot
}

/** A call at rest: queued, held, waiting for its host, or staged. Plain JSON, for `ToolExecutor.restore`. */
export interface CallSnapshot {
  readonly version: typeof version
  readonly state: "queued" | "waiting" | "staged"
  readonly call: ToolCall
  readonly edited?: boolean
  readonly remember?: RememberChoice
  readonly approval?: Resolution
  readonly decidedBy?: DecidedBy
  readonly refusal?: Stopped
  readonly standing?: StandingSnapshot
  readonly staged?: StagedSnapshot
}

/** What the record does not hold. */
export interface Beside {
  readonly streamed: string
  readonly timeLeft: number | undefined
}

/** The tool that a name means; undefined where there is none any more. */
export type ToolOf = (name: string) => Tool<unknown> | undefined

// --- Writing

/** Throws an Error that says why, for a call that is not at rest and for what is no JSON. */
export const writeCall = (record: CallRecord, beside: Beside): CallSnapshot => {
  const { call, state, edited, remember, approval, decidedBy, refusal } = record
  const standing = state._tag === "Asking" ? writeStanding(record, state.question, beside) : undefined
  if (standing === undefined && state._tag !== "Queued" && state._tag !== "Held") {
    throw new Error(
      `Call "${call.callId}" is not at rest: it can be written down while it is queued or waits`,
    )
  }
  return plain(call.callId, {
    version,
    state: standing === undefined ? "queued" : "waiting",
    call,
    ...(edited && { edited }),
    ...(remember !== false && { remember }),
    ...(approval !== undefined && { approval }),
    ...(decidedBy !== undefined && { decidedBy }),
    ...(refusal !== undefined && { refusal }),
    ...(standing !== undefined && { standing }),
  })
}

const writeStanding = (record: CallRecord, question: Question, beside: Beside): StandingSnapshot => {
  const { call, at, parts, output, memory, resolution, passed, decided, announced, cleanupErrors, action } =
    record
  const isHandlers = record.more || (question.kind === "delegate" && (question.midway || !question.put))
  if (isHandlers) {
    throw new Error(
      `Call "${call.callId}" is not at rest: its handler \`${parts[at]?.name}\` is in the middle of its work`,
    )
  }
  return {
    question: writeQuestion(question),
    at,
    shape: shapeOf(parts),
    // The preview is the action's: what stands here was put out since.
    ...(output !== undefined && output !== action?.output && { output }),
    ...(memory !== undefined && { memory }),
    ...(resolution !== undefined && { resolution }),
    passed,
    decided,
    announced: announced === "yes",
    ...(cleanupErrors !== undefined && { cleanupErrors }),
    ...(beside.streamed !== "" && { streamed: beside.streamed }),
    ...(beside.timeLeft !== undefined && { timeLeft: beside.timeLeft }),
    ...(action !== undefined && { action: stagedSnapshot(call.callId, action) }),
  }
}

const writeQuestion = (question: Question): QuestionSnapshot => {
  if (question.kind === "approval") {
    const { label, person, because, put } = question
    return {
      kind: "approval",
      ...(label !== undefined && { label }),
      ...(person && { person }),
      ...(because !== undefined && { because }),
      ...(!put && { undecided: true }),
    }
  }
  const { effect, timeout } = question
  return { kind: "delegate", effect, ...(timeout !== undefined && { timeout }) }
}

/** Throws an Error for an action that a host or a foreign tool pushed: its functions cannot be written down. */
export const writeStaged = (action: StagedAction): CallSnapshot => {
  const staged = stagedSnapshot(action.actionId, action)
  return plain(action.actionId, { version, state: "staged", call: staged.staging.call, staged })
}

const stagedSnapshot = (id: string, action: StagedAction): StagedSnapshot => {
  const { actionId, label, sourceToolName, details, source, staging, output, memory } = action
  if (staging === undefined) {
    throw new Error(
      `"${id}" cannot be written down: the action "${label}" was pushed with functions, which are no data`,
    )
  }
  return {
    actionId,
    label,
    sourceToolName,
    ...(details !== undefined && { details }),
    source,
    staging: { call: staging.call, at: staging.at },
    ...(output !== undefined && { output }),
    ...(memory !== undefined && { memory }),
    shape: staging.shape,
  }
}

const plain = (id: string, snapshot: CallSnapshot): CallSnapshot => {
  try {
    return JSON.parse(JSON.stringify(snapshot)) as CallSnapshot
  } catch (error) {
    throw new Error(`"${id}" cannot be written down: it holds what is no JSON: ${messageOf(error)}`)
  }
}

/** The kinds and names of parts, in order: the same where a pipeline is composed as it was. */
export const shapeOf = (parts: ReadonlyArray<PipelinePart<unknown>>): string =>
  parts.map(({ kind, name }) => `${kind} ${name}`).join(", ")

// --- Reading

/** Throws a TypeError for what is no snapshot, and an Error for one of a newer version. */
export const readSnapshot = (value: unknown): CallSnapshot => {
  const snapshot = value as CallSnapshot
  if (!isObject(value) || !isObject(snapshot.call) || !states.has(snapshot.state)) throw notASnapshot()
  if (snapshot.version !== version) {
    throw new Error(
      `This snapshot has version ${String(snapshot.version)}, and version ${version} is read: use the stepline that wrote it`,
    )
  }
  const { state, standing, staged } = snapshot
  const isWhole = state === "queued" || (state === "staged" ? isStaged(staged) : isStanding(standing))
  if (!isWhole) throw notASnapshot()
  return snapshot
}

const states: ReadonlySet<unknown> = new Set(["queued", "waiting", "staged"])

const notASnapshot = () => new TypeError("Expected what `snapshot` gave: this is no snapshot of a call")

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const isIndex = (value: unknown): boolean => Number.isSafeInteger(value) && (value as number) >= 0

const isOutput = (output: unknown): boolean =>
  output === undefined || (isObject(output) && toOutput(output) !== undefined)

const isStaged = (staged: StagedSnapshot | undefined): boolean =>
  isObject(staged) &&
  typeof staged.actionId === "string" &&
  typeof staged.label === "string" &&
  typeof staged.sourceToolName === "string" &&
  isObject(staged.source) &&
  isObject(staged.staging) &&
  isObject(staged.staging.call) &&
  isIndex(staged.staging.at) &&
  isOutput(staged.output)

const isStanding = (standing: StandingSnapshot | undefined): boolean =>
  isObject(standing) &&
  isObject(standing.question) &&
  isIndex(standing.at) &&
  isIndex(standing.passed) &&
  isIndex(standing.decided) &&
  isOutput(standing.output) &&
  (standing.action === undefined || isStaged(standing.action))

/** The record of a call that goes on as it was, once its turn comes. Throws an Error where its tool is gone or has changed. */
export const readCall = ({ call, ...rest }: CallSnapshot, toolOf: ToolOf): CallRecord => {
  const record = makeRecord(call)
  record.edited = rest.edited === true
  record.remember = readChoice(rest.remember)
  record.approval = rest.approval
  record.decidedBy = rest.decidedBy
  record.refusal = rest.refusal
  const { standing } = rest
  if (standing === undefined) return record
  const { at, question } = standing
  const action = standing.action && readStaged(standing.action, toolOf)
  record.parts = action === undefined ? composed(call, standing.shape, toolOf) : action.rest
  record.finals = action === undefined ? finallyPartsOf(record.parts) : []
  if (action !== undefined) {
    record.action = action
    record.resolving = call.params as ResolveParams
    record.subject = { ...call, ...action.source }
    record.sourceCallId = action.staging?.call.callId
    if (shapeOf(record.parts) !== standing.shape) throw changed(call.callId, action.source.name)
  }
  if (at >= record.parts.length) throw changed(call.callId, call.name)
  record.at = at
  record.output = standing.output ?? action?.output
  record.memory = standing.memory
  record.resolution = standing.resolution
  record.passed = standing.passed
  record.decided = standing.decided
  record.started = true
  record.announced = standing.announced ? "yes" : "no"
  record.cleanupErrors = standing.cleanupErrors === undefined ? undefined : [...standing.cleanupErrors]
  record.asked = 1
  record.resume = readQuestion(question)
  return record
}

const readQuestion = (question: QuestionSnapshot): Question =>
  question.kind === "approval"
    ? {
        kind: "approval",
        id: 1,
        label: question.label,
        person: question.person === true,
        put: question.undecided !== true,
        because: question.because,
      }
    : {
        kind: "delegate",
        id: 1,
        effect: question.effect,
        timeout: question.timeout,
        midway: false,
        put: false,
      }

/** The pending action as it was. Throws an Error where its tool is gone or its pipeline has changed. */
export const readStaged = ({ shape, ...staged }: StagedSnapshot, toolOf: ToolOf): StagedAction => {
  const { staging } = staged
  const parts = composed(staging.call, shape, toolOf)
  const gate = parts[staging.at - 1]
  if (gate?.kind !== "resolve") throw changed(staging.call.callId, staging.call.name)
  return {
    ...staged,
    staging: { ...staging, shape },
    output: staged.output,
    memory: staged.memory,
    rest: parts.slice(staging.at),
    onDiscard: gate.onDiscard,
    finals: finallyPartsOf(parts),
  }
}

const composed = (call: ToolCall, shape: string, toolOf: ToolOf): ReadonlyArray<PipelinePart<unknown>> => {
  const { callId, name, params } = call
  const tool = toolOf(name)
  if (tool === undefined) {
    throw new Error(`Cannot restore "${callId}": there is no tool "${name}" any more. Register it first`)
  }
  let parts: ReadonlyArray<PipelinePart<unknown>>
  try {
    parts = tool.compose(params, call).steps
  } catch (error) {
    throw new Error(`Cannot restore "${callId}": tool "${name}" failed to compose: ${messageOf(error)}`)
  }
  if (shapeOf(parts) !== shape) throw changed(callId, name)
  return parts
}

const changed = (callId: string, name: string): Error =>
  new Error(
    `Cannot restore "${callId}": the pipeline of tool "${name}" has another shape than when the call was written down. Run the call anew`,
  )
