/** Moves an attempt from part to part: places in the background pool, gates, questions, and the end of the attempt. */

import { byCall } from "../../model/decision.ts"
import type { ErrorReason, FailureReason } from "../../model/event.ts"
import type { GatePart } from "../../model/gate.ts"
import { failed, type Outcome } from "../../model/outcome.ts"
import type { Step } from "../../model/step.ts"
import { outputFault, textOf, toOutput } from "../../output/output.ts"
import { applied, notApplied, produced, releaseAction } from "./acting.ts"
import type { Call } from "./call.ts"
import { clean, leavePlace } from "./cleaning.ts"
import type { Outbox } from "./command.ts"
import * as commands from "./command.ts"
import { type Answer, type EffectQuestion, type Question, running, type StateOf, type Then } from "./state.ts"

const completed: Outcome = { _tag: "Completed" }

/** Enters the part at `at`, and continues with the following parts until one has to be waited for. */
export const enter = (call: Call, out: Outbox): void => {
  for (; call.at < call.parts.length; call.at += 1) {
    const part = call.parts[call.at]!
    if (part.kind === "handler") return proceed(call, out)
    if (part.kind === "approval" && !passGate(call, part, out)) return
    if (part.kind !== "resolve") continue
    if (call.toolCall.planned !== true) {
      out.push(commands.stage)
      return
    }
    // The host decides a planned call. If the pipeline has its own gate after the preview, that gate asks instead.
    const isAskedBehind = call.parts.some(({ kind }, at) => kind === "approval" && at > call.at)
    if (!isAskedBehind && !passGate(call, { label: part.label }, out)) return
  }
  complete(call, out)
}

/** Runs the handler at `at`, or reads the next step of its generator. A background or planned call first waits for a place. */
const proceed = (call: Call, out: Outbox): void => {
  call.run += 1
  if (takesPlace(call, out)) out.push(commands.run)
}

/** Whether the call may run now. If not, it receives `Placed` later. */
export const takesPlace = (call: Call, out: Outbox): boolean => {
  const { background, planned } = call.toolCall
  // A planned call makes the preview for its gate before it waits for its turn.
  const waits = background || (planned === true && (call.passed > 0 || !hasGateAhead(call)))
  if (!waits || call.place === "held" || call.place === "exempt") return true
  if (call.place === "none") {
    call.place = "asked"
    out.push(commands.takePlace)
  }
  return false
}

/** Continues after a step: with the generator's next step, or with the next part. */
export const advance = (call: Call, out: Outbox): void => {
  if (call.more) return proceed(call, out)
  call.at += 1
  call.attempts = 1
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
      // A time-out shows the model the output so far anyway, including that of earlier handlers.
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

type Gate = Partial<Pick<GatePart, "label" | "person" | "terms">>

/** Whether the gate is passed at once. If not, rules, reviewers and the host are asked in turn. */
const passGate = (call: Call, { label, person: only, terms }: Gate, out: Outbox): boolean => {
  const person = only === true
  call.preview = call.output
  if (call.passed < call.decided || (call.toolCall.decision === "approve" && !person)) {
    call.decidedBy ??= byCall
    passed(call, out)
    return true
  }
  const id = ++call.asked
  const question = { kind: "approval", id, label, person, isAsked: false, because: undefined } as const
  call.state = { _tag: "Asking", question: terms === undefined ? { ...question } : { ...question, terms } }
  out.push(commands.rule)
  return false
}

/** Passes a gate. A background call is announced to the host only now: before, it might still have been denied. */
const passed = (call: Call, out: Outbox): void => {
  call.passed += 1
  // A gate that a rule passes has no answer of its own: handlers keep seeing the last answer.
  call.resolution = call.approval ?? call.resolution ?? { action: "apply" }
  if (call.toolCall.background) tellBackground(call, out)
}

/** Emits `BackgroundStarted`, unless it was emitted before. */
export const tellBackground = (call: Call, out: Outbox): void => {
  if (call.announced !== false) return
  call.announced = "due"
  out.push(commands.announce)
}

/** Asks the host. Meanwhile the call gives its place in the background pool to others. */
export const ask = (call: Call, question: Question, out: Outbox): void => {
  leavePlace(call, out)
  call.state = { _tag: "Asking", question }
  out.push(commands.ask)
}

/** The open question. The call has to be `Asking`. */
export const questionOf = ({ state }: Call): Question => (state as StateOf<"Asking">).question

/** Whether an answer with this id, or without an id, belongs to the open question. */
export const isOpen = (call: Call, id: number | undefined): boolean =>
  id === undefined || questionOf(call).id === id

/** Opens the approved gate, and continues after it. */
export const openGate = (call: Call, out: Outbox): void => {
  call.state = running
  passed(call, out)
  // A handler may have opened the gate with an AwaitApproval step, which this completes.
  advance(call, out)
}

/** Applies the host's answer to an effect: the waiting handler continues, or the next part runs. */
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

/** Completes an attempt whose parts have all run. The call ends after its cleanup. */
export const complete = (call: Call, out: Outbox): void => {
  if (call.action !== undefined) applied(call, out)
  close(call, { _tag: "End", outcome: completed }, out)
}

interface Failure {
  readonly message: string
  readonly cause?: unknown
  /** Whether the failure was thrown as something other than a ToolError, so its message was not written for the model. */
  readonly thrown?: boolean
  readonly reason?: ErrorReason | undefined
}

/** Fails the attempt: the call ends as an Error after its cleanup. */
export const fail = (call: Call, failure: Failure, out: Outbox): void => {
  const { message, cause, thrown = false, reason = "failed" } = failure
  const text = call.action === undefined ? message : notApplied(call, message, thrown, out)
  close(call, { _tag: "End", outcome: failed(reason, text, cause) }, out)
}

const gateKinds: ReadonlySet<string> = new Set(["approval", "resolve"])

/** Whether the call still has a gate ahead. */
export const hasGateAhead = ({ parts, at }: Call): boolean =>
  parts.some(({ kind }, index) => index >= at && gateKinds.has(kind))

/** Whether the output is a gate's preview of work that has not been done. */
export const isPreview = (call: Call): boolean =>
  call.output !== undefined && (call.output === call.preview || hasGateAhead(call))

/** Finishes an attempt whose handlers have ended: first closes its open generator and scope, if any. */
const close = (call: Call, then: Then, out: Outbox): void => {
  if (!call.more && !call.scoped) return clean(call, then, out)
  call.state = { _tag: "Stopping", then }
  out.push(commands.close)
}

/** Interrupts an attempt. */
export const stop = (call: Call, then: Then, out: Outbox): void => {
  if (call.announced === "due") call.announced = false
  if (call.state._tag === "Asking") out.push(commands.closeQuestion)
  leavePlace(call, out)
  call.state = { _tag: "Stopping", then }
  out.push(commands.interrupt)
}

/**
 * Cleans up after an interrupted attempt. `leftBehind`: its handler did not end in time. An action that this handler applies stays
 * claimed until the handler ends, so that the action is not applied twice.
 */
export const stopped = (call: Call, leftBehind: boolean, out: Outbox): void => {
  const { then } = call.state as StateOf<"Stopping">
  if (call.action !== undefined) {
    call.output = produced(call)
    if (!leftBehind) releaseAction(call, "RestoreAction", out)
  }
  clean(call, then, out)
}

/** The continuation after the cleanup of a call that ends. */
export const endWith = (outcome: Outcome): Then => ({ _tag: "End", outcome })
