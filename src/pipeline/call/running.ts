/** How an attempt goes from part to part: places, gates, questions, and how it is over. */

import { outputFault, type ToolOutput, textOf, toOutput } from "../../output/output.ts"
import type { ResolveParams } from "../../resolve/definition.ts"
import { defaultOutput, failureText, withDetails } from "../../resolve/result.ts"
import { byCall } from "../model/decision.ts"
import type { FailureReason } from "../model/event.ts"
import { failed, type Outcome } from "../model/outcome.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Step } from "../model/step.ts"
import type { Call } from "./call.ts"
import { clean, leavePlace } from "./cleaning.ts"
import type { Outbox } from "./command.ts"
import * as commands from "./command.ts"
import { type Answer, type EffectQuestion, type Question, running, type StateOf, type Then } from "./state.ts"

const completed: Outcome = { _tag: "Completed" }

/** Goes to the part at `at`, and on from there as long as nothing has to be waited for. */
export const enter = (call: Call, out: Outbox): void => {
  for (; call.at < call.parts.length; call.at += 1) {
    const part = call.parts[call.at]!
    if (part.kind === "handler") return proceed(call, out)
    if (part.kind === "approval" && !passGate(call, part, out)) return
    if (part.kind === "resolve") {
      out.push(commands.stage)
      return
    }
  }
  complete(call, out)
}

/** Runs the handler at `at`, or reads on in its generator; in the background, once there is a place. */
const proceed = (call: Call, out: Outbox): void => {
  call.run += 1
  if (takesPlace(call, out)) out.push(commands.run)
}

/** True where it may run now. Else it will be `Placed`. */
const takesPlace = (call: Call, out: Outbox): boolean => {
  if (!call.toolCall.background || call.place === "held" || call.place === "exempt") return true
  if (call.place === "none") {
    call.place = "asked"
    out.push(commands.takePlace)
  }
  return false
}

/** After a step: the generator's next one, or the next part. */
export const advance = (call: Call, out: Outbox): void => {
  if (call.more) return proceed(call, out)
  call.at += 1
  enter(call, out)
}

/** Applies one step of the handler at `at`. */
export const apply = (call: Call, step: Step, out: Outbox): void => {
  switch (step._tag) {
    case "Continue":
      return advance(call, out)
    case "Output": {
      const output = toOutput(step.output)
      if (output === undefined) {
        return fail(call, { message: notAnOutput(call, step.output), thrown: true }, out)
      }
      call.output = output
      return advance(call, out)
    }
    case "Delta":
      out.push({ _tag: "Stream", content: step.content, partial: step.partial })
      return
    case "Delegate": {
      const { effect, timeout } = step
      return ask(
        call,
        { kind: "delegate", id: ++call.asked, effect, timeout, midway: false, isAsked: false },
        out,
      )
    }
    case "AwaitApproval":
      if (passGate(call, step, out)) advance(call, out)
      return
    case "Error": {
      const reason: FailureReason = step.reason === "timeout" ? "timeout" : "failed"
      const given: unknown = step.output
      const output = toOutput(given)
      if (output !== undefined) call.output = output
      const isMistake = output === undefined && given !== undefined && given !== null
      // What is late is told with what there was, whoever put it out.
      const said = reason === "timeout" ? "" : textOf(output)
      const behind = isMistake ? notAnOutput(call, given) : said
      const message = behind === "" ? String(step.message) : `${String(step.message)}\n${behind}`
      return fail(call, { message, cause: step.cause, reason }, out)
    }
  }
}

const notAnOutput = ({ parts, at }: Call, output: unknown): string =>
  `Handler \`${parts[at]?.name}\` gave an output that ${outputFault(output)}`

// --- Gates and questions

interface Gate {
  readonly label?: string | undefined
  readonly person?: boolean | undefined
}

/** True where the gate is passed at once. Else it is asked of rules, reviewers and the host. */
const passGate = (call: Call, { label, person: only }: Gate, out: Outbox): boolean => {
  const person = only === true
  call.preview = call.output
  if (call.passed < call.decided || (call.toolCall.decision === "approve" && !person)) {
    call.decidedBy ??= byCall
    passed(call, out)
    return true
  }
  const id = ++call.asked
  const question = { kind: "approval", id, label, person, isAsked: false, because: undefined } as const
  call.state = { _tag: "Asking", question: { ...question } }
  out.push(commands.rule)
  return false
}

/** A gate is behind it: the host knows now that a background call runs. */
const passed = (call: Call, out: Outbox): void => {
  call.passed += 1
  // Who passes it without a word leaves standing what was said before.
  call.resolution = call.approval ?? call.resolution ?? { action: "apply" }
  if (call.toolCall.background) tellBackground(call, out)
}

/** Has the host told that the call runs in the background, unless it knows. */
export const tellBackground = (call: Call, out: Outbox): void => {
  if (call.announced !== "no") return
  call.announced = "due"
  out.push(commands.announce)
}

/** Asks the host. Meanwhile the call takes no place among the background calls. */
export const ask = (call: Call, question: Question, out: Outbox): void => {
  leavePlace(call, out)
  call.state = { _tag: "Asking", question }
  out.push(commands.ask)
}

/** What the host is asked. Only for a call that is asking. */
export const questionOf = ({ state }: Call): Question => (state as StateOf<"Asking">).question

/** Whether the answer is to the question that is open. */
export const isOpen = (call: Call, id: number | undefined): boolean =>
  id === undefined || questionOf(call).id === id

/** The gate was approved; what was asked at it goes on. */
export const openGate = (call: Call, out: Outbox): void => {
  call.state = running
  passed(call, out)
  // A gate of a handler's own, asked with a step, ends that step.
  advance(call, out)
}

/** The host's answer to an effect: the handler goes on, or the next part runs. */
export const answered = (call: Call, answer: Answer, out: Outbox): void => {
  const question = questionOf(call) as EffectQuestion
  call.state = running
  if (question.midway) {
    call.reply = answer
    if (takesPlace(call, out)) out.push(commands.reply)
  } else if (answer._tag === "Failure") {
    fail(call, answer, out)
  } else {
    if (answer.output !== undefined) call.output = answer.output
    advance(call, out)
  }
}

// --- The end of an attempt

/** The pipeline is through: the call ends as completed, once it is cleaned up. */
export const complete = (call: Call, out: Outbox): void => {
  if (call.action !== undefined) return actionSucceeded(call, undefined, out)
  close(call, { _tag: "End", outcome: completed }, out)
}

interface Failure {
  readonly message: string
  readonly cause?: unknown
  /** Thrown, and not worded for the model. */
  readonly thrown?: boolean
  readonly reason?: FailureReason | undefined
}

/** The attempt failed: the call ends as an Error, once it is cleaned up. `thrown`: not by a step of its own. */
export const fail = (call: Call, failure: Failure, out: Outbox): void => {
  const { message, cause, thrown = false, reason = "failed" } = failure
  const text = call.action === undefined ? message : actionFailed(call, message, thrown, out)
  close(call, { _tag: "End", outcome: failed(reason, text, cause) }, out)
}

/** What handlers put out while an action was applied. The preview that they began with is not theirs. */
export const produced = ({ output, action }: Call): ToolOutput | undefined =>
  output === action?.output ? undefined : output

/** It is pending again. Gives the message for the model. */
const actionFailed = (call: Call, message: string, thrown: boolean, out: Outbox): string => {
  const { action, links } = call
  const resolving = links.resolving!
  call.output = withDetails(produced(call) ?? { content: [] }, resolving, action!)
  releaseAction(call, "RestoreAction", out)
  return failureText(resolving, message, thrown)
}

/** `preview`: what is left of it is a new action. */
export const actionSucceeded = (call: Call, preview: ToolOutput | undefined, out: Outbox): void => {
  const action = call.action!
  const resolving = call.links.resolving!
  const output = preview ?? produced(call) ?? defaultOutput(resolving, action.label)
  call.output = withDetails(output, resolving, action)
  // What was staged anew has taken its place already, and cleans up after its own end.
  if (preview === undefined) {
    releaseAction(call, "SettleAction", out)
    call.links = { ...call.links, settled: action }
    call.finals = action.finals
  }
  call.action = undefined
  close(call, { _tag: "End", outcome: completed }, out)
}

/** Lets go of the pending action that the call claimed: it is over, or it is pending again. */
export const releaseAction = (call: Call, _tag: "SettleAction" | "RestoreAction", out: Outbox): void => {
  out.push({ _tag, action: call.action! })
  call.action = undefined
}

const gateKinds: ReadonlySet<string> = new Set(["approval", "resolve"])

/** Whether a gate is still to be passed. */
export const hasGateAhead = ({ parts, at }: Call): boolean =>
  parts.some(({ kind }, index) => index >= at && gateKinds.has(kind))

/** Whether the output is what a gate shows, at which nobody was asked yet, or behind which nothing came of it yet. */
export const isPreview = (call: Call): boolean =>
  call.output !== undefined && (call.output === call.preview || hasGateAhead(call))

/** Ends an attempt that is over: what its generator left open first. */
const close = (call: Call, then: Then, out: Outbox): void => {
  if (!call.more && !call.scoped) return clean(call, then, out)
  call.state = { _tag: "Stopping", then }
  out.push(commands.close)
}

/** Ends an attempt where it stands. */
export const stop = (call: Call, then: Then, out: Outbox): void => {
  if (call.announced === "due") call.announced = "no"
  if (call.state._tag === "Asking") out.push(commands.closeQuestion)
  leavePlace(call, out)
  call.state = { _tag: "Stopping", then }
  out.push(commands.interrupt)
}

/** `leftBehind`: it did not end in time, so an action that it applies stays claimed until it does. */
export const stopped = (call: Call, leftBehind: boolean, out: Outbox): void => {
  const { then } = call.state as StateOf<"Stopping">
  if (call.action !== undefined) {
    call.output = produced(call)
    if (!leftBehind) releaseAction(call, "RestoreAction", out)
  }
  clean(call, then, out)
}

/** Its handlers see the call that staged the action, under this call's id. `resolving`: undefined where it only cleans up after it. */
export const actFor = (
  call: Call,
  { source, staging }: StagedAction,
  resolving: ResolveParams | undefined,
): void => {
  call.subject = { ...call.toolCall, ...source }
  call.links = { ...call.links, resolving, sourceCallId: staging?.call.callId }
}

/** What follows the cleanup of a call that ends. */
export const endWith = (outcome: Outcome): Then => ({ _tag: "End", outcome })
