/** How an attempt goes from part to part: places, gates, questions, and how it is over. */

import { outputFault, type ToolOutput, textOf, toOutput } from "../../output/output.ts"
import type { ResolveParams } from "../../resolve/definition.ts"
import { defaultOutput, failureText, withDetails } from "../../resolve/result.ts"
import { byCall } from "../model/decision.ts"
import type { FailureReason } from "../model/event.ts"
import { failed, type Outcome } from "../model/outcome.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Step } from "../model/step.ts"
import { clean, leavePlace } from "./cleaning.ts"
import type { Outbox } from "./command.ts"
import * as commands from "./command.ts"
import {
  type Answer,
  type CallRecord,
  type EffectQuestion,
  type Question,
  running,
  type StateOf,
  type Then,
} from "./state.ts"

const completed: Outcome = { _tag: "Completed" }

/** Goes to the part at `at`, and on from there as long as nothing has to be waited for. */
export const enter = (record: CallRecord, out: Outbox): void => {
  for (; record.at < record.parts.length; record.at += 1) {
    const part = record.parts[record.at]!
    if (part.kind === "handler") return proceed(record, out)
    if (part.kind === "approval" && !passGate(record, part, out)) return
    if (part.kind === "resolve") {
      out.push(commands.stage)
      return
    }
  }
  complete(record, out)
}

/** Runs the handler at `at`, or reads on in its generator; in the background, once there is a place. */
const proceed = (record: CallRecord, out: Outbox): void => {
  record.run += 1
  if (takesPlace(record, out)) out.push(commands.run)
}

/** True where it may run now. Else it will be `Placed`. */
const takesPlace = (record: CallRecord, out: Outbox): boolean => {
  if (!record.call.background || record.place === "held" || record.place === "exempt") return true
  if (record.place === "none") {
    record.place = "asked"
    out.push(commands.takePlace)
  }
  return false
}

/** After a step: the generator's next one, or the next part. */
export const advance = (record: CallRecord, out: Outbox): void => {
  if (record.more) return proceed(record, out)
  record.at += 1
  enter(record, out)
}

/** Applies one step of the handler at `at`. */
export const apply = (record: CallRecord, step: Step, out: Outbox): void => {
  switch (step._tag) {
    case "Continue":
      return advance(record, out)
    case "Output": {
      const output = toOutput(step.output)
      if (output === undefined) {
        return fail(record, { message: notAnOutput(record, step.output), thrown: true }, out)
      }
      record.output = output
      return advance(record, out)
    }
    case "Delta":
      out.push({ _tag: "Stream", content: step.content, partial: step.partial })
      return
    case "Delegate": {
      const { effect, timeout } = step
      return ask(
        record,
        { kind: "delegate", id: ++record.asked, effect, timeout, midway: false, put: false },
        out,
      )
    }
    case "AwaitApproval":
      if (passGate(record, step, out)) advance(record, out)
      return
    case "Error": {
      const reason: FailureReason = step.reason === "timeout" ? "timeout" : "failed"
      const given: unknown = step.output
      const output = toOutput(given)
      if (output !== undefined) record.output = output
      const isMistake = output === undefined && given !== undefined && given !== null
      // What is late is told with what there was, whoever put it out.
      const said = reason === "timeout" ? "" : textOf(output)
      const behind = isMistake ? notAnOutput(record, given) : said
      const message = behind === "" ? String(step.message) : `${String(step.message)}\n${behind}`
      return fail(record, { message, cause: step.cause, reason }, out)
    }
  }
}

const notAnOutput = ({ parts, at }: CallRecord, output: unknown): string =>
  `Handler \`${parts[at]?.name}\` gave an output that ${outputFault(output)}`

// --- Gates and questions

interface Gate {
  readonly label?: string | undefined
  readonly person?: boolean | undefined
}

/** True where the gate is passed at once. Else it is asked of rules, reviewers and the host. */
const passGate = (record: CallRecord, { label, person: only }: Gate, out: Outbox): boolean => {
  const person = only === true
  record.preview = record.output
  if (record.passed < record.decided || (record.call.decision === "approve" && !person)) {
    record.decidedBy ??= byCall
    passed(record, out)
    return true
  }
  const id = ++record.asked
  const question = { kind: "approval", id, label, person, put: false, because: undefined } as const
  record.state = { _tag: "Asking", question: { ...question } }
  out.push(commands.rule)
  return false
}

/** A gate is behind it: the host knows now that a background call runs. */
const passed = (record: CallRecord, out: Outbox): void => {
  record.passed += 1
  // Who passes it without a word leaves standing what was said before.
  record.resolution = record.approval ?? record.resolution ?? { action: "apply" }
  if (record.call.background) tellBackground(record, out)
}

/** Has the host told that the call runs in the background, unless it knows. */
export const tellBackground = (record: CallRecord, out: Outbox): void => {
  if (record.announced !== "no") return
  record.announced = "due"
  out.push(commands.announce)
}

/** Asks the host. Meanwhile the call takes no place among the background calls. */
export const ask = (record: CallRecord, question: Question, out: Outbox): void => {
  leavePlace(record, out)
  record.state = { _tag: "Asking", question }
  out.push(commands.ask)
}

/** What the host is asked. Only for a call that is asking. */
export const questionOf = ({ state }: CallRecord): Question => (state as StateOf<"Asking">).question

/** Whether the answer is to the question that is open. */
export const isOpen = (record: CallRecord, id: number | undefined): boolean =>
  id === undefined || questionOf(record).id === id

/** The gate was approved; what was asked at it goes on. */
export const openGate = (record: CallRecord, out: Outbox): void => {
  record.state = running
  passed(record, out)
  // A gate of a handler's own, asked with a step, ends that step.
  advance(record, out)
}

/** The host's answer to an effect: the handler goes on, or the next part runs. */
export const answered = (record: CallRecord, answer: Answer, out: Outbox): void => {
  const question = questionOf(record) as EffectQuestion
  record.state = running
  if (question.midway) {
    record.reply = answer
    if (takesPlace(record, out)) out.push(commands.reply)
  } else if (answer._tag === "Failure") {
    fail(record, answer, out)
  } else {
    if (answer.output !== undefined) record.output = answer.output
    advance(record, out)
  }
}

// --- The end of an attempt

/** The pipeline is through: the call ends as completed, once it is cleaned up. */
export const complete = (record: CallRecord, out: Outbox): void => {
  if (record.action !== undefined) return actionSucceeded(record, undefined, out)
  close(record, { _tag: "End", outcome: completed }, out)
}

interface Failure {
  readonly message: string
  readonly cause?: unknown
  /** Thrown, and not worded for the model. */
  readonly thrown?: boolean
  readonly reason?: FailureReason | undefined
}

/** The attempt failed: the call ends as an Error, once it is cleaned up. `thrown`: not by a step of its own. */
export const fail = (record: CallRecord, failure: Failure, out: Outbox): void => {
  const { message, cause, thrown = false, reason = "failed" } = failure
  const text = record.action === undefined ? message : actionFailed(record, message, thrown, out)
  close(record, { _tag: "End", outcome: failed(reason, text, cause) }, out)
}

/** What handlers put out while an action was applied. The preview that they began with is not theirs. */
export const produced = ({ output, action }: CallRecord): ToolOutput | undefined =>
  output === action?.output ? undefined : output

/** It is pending again. Gives the message for the model. */
const actionFailed = (record: CallRecord, message: string, thrown: boolean, out: Outbox): string => {
  const { action, ties } = record
  const resolving = ties.resolving!
  record.output = withDetails(produced(record) ?? { content: [] }, resolving, action!)
  releaseAction(record, "RestoreAction", out)
  return failureText(resolving, message, thrown)
}

/** `preview`: what is left of it is a new action. */
export const actionSucceeded = (record: CallRecord, preview: ToolOutput | undefined, out: Outbox): void => {
  const action = record.action!
  const resolving = record.ties.resolving!
  const output = preview ?? produced(record) ?? defaultOutput(resolving, action.label)
  record.output = withDetails(output, resolving, action)
  // What was staged anew has taken its place already, and cleans up after its own end.
  if (preview === undefined) {
    releaseAction(record, "SettleAction", out)
    record.ties = { ...record.ties, settled: action }
    record.finals = action.finals
  }
  record.action = undefined
  close(record, { _tag: "End", outcome: completed }, out)
}

/** Lets go of the pending action that the call claimed: it is over, or it is pending again. */
export const releaseAction = (
  record: CallRecord,
  _tag: "SettleAction" | "RestoreAction",
  out: Outbox,
): void => {
  out.push({ _tag, action: record.action! })
  record.action = undefined
}

const gateKinds: ReadonlySet<string> = new Set(["approval", "resolve"])

/** Whether a gate is still to be passed. */
export const hasGateAhead = ({ parts, at }: CallRecord): boolean =>
  parts.some(({ kind }, index) => index >= at && gateKinds.has(kind))

/** Whether the output is what a gate shows, at which nobody was asked yet, or behind which nothing came of it yet. */
export const isPreview = (record: CallRecord): boolean =>
  record.output !== undefined && (record.output === record.preview || hasGateAhead(record))

/** Ends an attempt that is over: what its generator left open first. */
const close = (record: CallRecord, then: Then, out: Outbox): void => {
  if (!record.more && !record.scoped) return clean(record, then, out)
  record.state = { _tag: "Stopping", then }
  out.push(commands.close)
}

/** Ends an attempt where it stands. */
export const stop = (record: CallRecord, then: Then, out: Outbox): void => {
  if (record.announced === "due") record.announced = "no"
  if (record.state._tag === "Asking") out.push(commands.closeQuestion)
  leavePlace(record, out)
  record.state = { _tag: "Stopping", then }
  out.push(commands.interrupt)
}

/** `leftBehind`: it did not end in time, so an action that it applies stays claimed until it does. */
export const stopped = (record: CallRecord, leftBehind: boolean, out: Outbox): void => {
  const { then } = record.state as StateOf<"Stopping">
  if (record.action !== undefined) {
    record.output = produced(record)
    if (!leftBehind) releaseAction(record, "RestoreAction", out)
  }
  clean(record, then, out)
}

/** Its handlers see the call that staged the action, under this call's id. `resolving`: undefined where it only cleans up after it. */
export const actFor = (
  record: CallRecord,
  { source, staging }: StagedAction,
  resolving: ResolveParams | undefined,
): void => {
  record.subject = { ...record.call, ...source }
  record.ties = { ...record.ties, resolving, sourceCallId: staging?.call.callId }
}

/** What follows the cleanup of a call that ends. */
export const endWith = (outcome: Outcome): Then => ({ _tag: "End", outcome })
