/**
 * The state machine of a call: a table with the effect of each input in each state. `transition` changes the call's data and emits
 * commands. It never calls a handler, host, timer or clock. An input without an entry in the current state, such as a late answer
 * or a cancel of a call that is already ending, changes nothing, and `transition` returns false.
 */
import { byTimeout, byUserBecause } from "../../model/decision.ts"
import type { Resolution } from "../../model/handler.ts"
import { cancelled, failed, notTaken, type Stopped } from "../../model/outcome.ts"
import { isEnough } from "../questions/approvers.ts"
import { markOf } from "../questions/gate-time.ts"
import { act, actFor, releaseAction, staged } from "./acting.ts"
import type { Call } from "./call.ts"
import {
  advanceFinal,
  answerFinal,
  applyFinal,
  askFinal,
  clean,
  closeFinalQuestion,
  edit,
  end,
  endPreparing,
  finalFailed,
  leavePlace,
  nextFinal,
  prepare,
} from "./cleaning.ts"
import type { Outbox } from "./command.ts"
import * as commands from "./command.ts"
import { goOn } from "./going-on.ts"
import type { Input } from "./input.ts"
import {
  advance,
  answered,
  apply,
  ask,
  complete,
  endWith,
  enter,
  fail,
  isOpen,
  openGate,
  questionOf,
  stop,
  stopped,
  takesPlace,
  tellBackground,
} from "./running.ts"
import { type CallState, ended, held, running, type StateOf } from "./state.ts"

type InputOf<Tag extends Input["_tag"]> = Extract<Input, { readonly _tag: Tag }>
type Move<I> = (call: Call, input: I, out: Outbox) => boolean
type Row = { readonly [Tag in Input["_tag"]]?: Move<InputOf<Tag>> }

/** Applies one input. Returns whether the input took effect. */
export const transition = (call: Call, input: Input, out: Outbox): boolean => {
  const move = rows[call.state._tag][input._tag] as Move<Input> | undefined
  return move?.(call, input, out) ?? false
}

/** The entries that every state has. Each row copies these, which is cheaper for every input than a second lookup. */
const everywhere: Row = {
  /** A handler that was left behind while it applied an action has finally ended: the action is pending again. */
  Stopped: (call, { run }, out) => {
    if (call.action === undefined || run !== call.run) return false
    releaseAction(call, "RestoreAction", out)
    return true
  },
  Announced: (call) => {
    if (call.announced !== "due") return false
    call.announced = "yes"
    return true
  },
}

// --- Answers before anything runs

const resolutionOf = (reason: string | undefined): Resolution =>
  reason === undefined ? { action: "apply" } : { action: "apply", reason }

/** Approves a `requested` call. */
const grant = (call: Call, { params, edit: isEdited, reason, by, remember }: InputOf<"Approve">): boolean => {
  if (call.toolCall.decision !== "requested") return false
  call.toolCall.decision = "approve"
  call.approval = resolutionOf(reason)
  call.decidedBy = byUserBecause(reason, by)
  if (isEdited) edit(call, params)
  call.remember = remember
  return true
}

const refuse = (call: Call, outcome: Stopped): boolean => {
  if (call.toolCall.decision !== "requested") return false
  call.toolCall.decision = "deny"
  call.refusal = outcome
  return true
}

const toBackground = (call: Call, place: Call["place"], out: Outbox): boolean => {
  if (call.toolCall.background) return false
  call.toolCall.background = true
  call.place = place
  // The call is a task from here on, even if another input arrives before the host reads the event.
  call.announced = "yes"
  out.push(commands.announce)
  out.push(commands.leaveLane)
  return true
}

/** The message for a call that was cancelled at its gate: whether something may have been changed. */
const unapproved = ({ passed, action, at }: Call, reason: string): string => {
  // An action that the model applied may have changed something before it came to this gate.
  const isFirst = passed === 0 && (action === undefined || at === 0)
  return isFirst
    ? `${reason}\nNothing was changed: the call was waiting for approval.`
    : `${reason}\nThe call was waiting for another approval, and nothing that needs it was done.`
}

/** While no gate has been decided, the party that answered counts as the one that decided. */
const namedBy = (call: Call, by: string): void => {
  if (call.toolCall.decision !== "approve") call.decidedBy ??= byUserBecause(undefined, by)
}

/** Handles a result of a handler that did not wait for the answer to its own question: closes the question first. */
const abandoningQuestion =
  <I extends { readonly run: number }>(then: () => Move<I> | undefined): Move<I> =>
  (call, input, out) => {
    const question = questionOf(call)
    if (question.kind !== "delegate" || !question.midway || input.run !== call.run) return false
    // A question that was not asked yet is not closed: the command would close the question that is open by then.
    if (question.isAsked) out.push(commands.closeQuestion)
    call.state = running
    return then()!(call, input, out)
  }

// --- The table

const queuedRow: Row = {
  ...everywhere,
  Turn: (call, _input, out) => {
    const { resume } = call
    if (resume !== undefined) {
      call.resume = undefined
      goOn(call, resume, out)
      return true
    }
    const { decision } = call.toolCall
    if (decision === "deny") return end(call, notTaken(call.toolCall, call.refusal), out)
    if (decision === "requested") call.state = held
    else prepare(call, out)
    return true
  },
  /** The input was not a valid call, or the executor had been shut down. */
  Refused: (call, { outcome }, out) => end(call, outcome, out),
  Drop: (call, { action }, out) => {
    actFor(call, action, undefined)
    call.output = action.output
    call.memory = action.memory
    call.finals = action.finals
    clean(call, endWith(cancelled()), out)
    return true
  },
  Approve: grant,
  Deny: (call, { outcome }) => refuse(call, outcome),
  Cancel: (call, { outcome }, out) => {
    const { resume } = call
    if (resume === undefined) return end(call, outcome, out)
    // A call that is cleaning up ends anyway, unless it was about to restart.
    if (resume._tag === "Cleaning") {
      if (resume.then._tag === "End") return false
      call.resume = { ...resume, then: endWith(outcome) }
      return true
    }
    stop(call, endWith(outcome), out)
    return true
  },
}

const heldRow: Row = {
  ...everywhere,
  Approve: (call, input, out) => {
    if (!grant(call, input)) return false
    prepare(call, out)
    return true
  },
  Deny: (call, { outcome }, out) => refuse(call, outcome) && end(call, outcome, out),
  Cancel: (call, { outcome }, out) => end(call, outcome, out),
}

const preparingRow: Row = {
  ...everywhere,
  Admitted: (call, { params, parts, finals, gates }, out) => {
    call.toolCall.params = params
    call.parts = parts
    call.finals = finals
    call.at = 0
    call.state = running
    if (!call.started) {
      call.started = true
      out.push(commands.tellStarted)
    }
    if (call.remember !== false) {
      out.push({ _tag: "Remember", choice: call.remember })
      call.remember = false
    }
    if (call.toolCall.background && gates <= call.decided) tellBackground(call, out)
    enter(call, out)
    return true
  },
  Refused: (call, { outcome }, out) => end(call, outcome, out),
  Limited: (call, { because, maxWait }) => {
    call.state = { _tag: "Limited", because, maxWait }
    return true
  },
  Known: (call, { output }, out) => {
    const { started } = call
    call.started = true
    if (!started) out.push({ _tag: "TellStarted" })
    call.output = output
    call.deduplicated = true
    return end(call, { _tag: "Completed" }, out)
  },
  Cancel: (call, { outcome }, out) => endPreparing(call, outcome, out),
  TimedOut: (call, { message }, out) => endPreparing(call, failed("timeout", message), out),
}

const limitedRow: Row = {
  ...everywhere,
  Admitted: preparingRow.Admitted!,
  Cancel: (call, { outcome }, out) => end(call, outcome, out),
  TimedOut: (call, { message }, out) => end(call, failed("limit", message), out),
}

const runningRow: Row = {
  ...everywhere,
  Placed: (call, _input, out) => {
    if (call.place !== "asked") return false
    call.place = "held"
    out.push(call.reply === undefined ? commands.run : commands.reply)
    return true
  },
  Rested: (call, _input, out) => {
    if (!call.toolCall.background) return false
    leavePlace(call, out)
    return true
  },
  Woken: (call, _input, out) => {
    if (!call.toolCall.background || call.place !== "none") return false
    takesPlace(call, out)
    return true
  },
  Returned: (call, { run, step, more }, out) => {
    if (run !== call.run) return false
    call.reply = undefined
    call.more = more
    apply(call, step, out)
    return true
  },
  Exhausted: (call, { run }, out) => {
    if (run !== call.run) return false
    call.reply = undefined
    call.more = false
    advance(call, out)
    return true
  },
  Failed: (call, { run, message, cause, thrown, more, reason }, out) => {
    if (run !== call.run) return false
    call.reply = undefined
    call.more = more
    fail(call, { message, cause, thrown, reason }, out)
    return true
  },
  Flowed: (call, { run }, out) => {
    if (run !== call.run) return false
    advance(call, out)
    return true
  },
  Asked: (call, { run, effect, timeout }, out) => {
    if (run !== call.run) return false
    ask(call, { kind: "delegate", id: ++call.asked, effect, timeout, midway: true, isAsked: false }, out)
    return true
  },
  Claimed: (call, input, out) => {
    act(call, input)
    enter(call, out)
    return true
  },
  Staged: (call, { actionId, label }, out) => {
    staged(call, actionId, label)
    complete(call, out)
    return true
  },
  Unstaged: (call, { message }, out) => {
    fail(call, { message }, out)
    return true
  },
  Cancel: (call, { outcome }, out) => {
    stop(call, endWith(outcome), out)
    return true
  },
  TimedOut: (call, { message }, out) => {
    stop(call, endWith(failed("timeout", message)), out)
    return true
  },
  ToBackground: (call, _input, out) => toBackground(call, "exempt", out),
}

const askingRow: Row = {
  ...everywhere,
  /** The call asked for the place before it came to the gate, and keeps the place because a rule may pass the gate at once. */
  Placed: (call) => {
    if (call.place !== "asked") return false
    call.place = "held"
    return true
  },
  Ruled: (call, { id, outcome, decidedBy, because }, out) => {
    const question = questionOf(call)
    if (question.id !== id || question.kind !== "approval" || question.isAsked) return false
    if (outcome === "pass") {
      call.decidedBy = decidedBy
      openGate(call, out)
    } else if (outcome === "ask" || outcome === "review") {
      question.isAsked = outcome === "ask"
      question.because = because
      leavePlace(call, out)
      out.push(outcome === "ask" ? commands.ask : commands.review)
    } else stop(call, endWith(outcome), out)
    return true
  },
  Approve: (call, { id, edit: isEdited, params, reason, by, remember }, out) => {
    const question = questionOf(call)
    if (question.kind !== "approval" || !question.isAsked || !isOpen(call, id)) return false
    if (isEdited) {
      // The model saw a preview for the old parameters: edited ones would need a new preview.
      if (call.action !== undefined) return false
      call.passed += 1
      call.approval = resolutionOf(reason)
      call.decidedBy = byUserBecause(reason, by)
      // A rule could not pass this gate.
      call.remember = question.person ? false : remember
      stop(call, { _tag: "Restart", params }, out)
      return true
    }
    const quorum = question.terms?.quorum
    if (quorum !== undefined && !isEnough(question, quorum, by)) return true
    const { votes } = question
    call.approval = resolutionOf(reason)
    call.decidedBy =
      votes === undefined ? byUserBecause(reason, by) : { ...byUserBecause(reason, by), approvedBy: votes }
    // Before the gate opens, because the host's `remember` may cancel the call.
    if (remember !== false && !question.person) out.push({ _tag: "Remember", choice: remember })
    openGate(call, out)
    return true
  },
  Deny: (call, { id, outcome }, out) => {
    const question = questionOf(call)
    if (question.kind !== "approval" || !question.isAsked || !isOpen(call, id)) return false
    stop(call, endWith(outcome), out)
    return true
  },
  Answered: (call, { id, output, by }, out) => {
    if (questionOf(call).kind !== "delegate" || !isOpen(call, id)) return false
    if (by !== undefined) namedBy(call, by)
    answered(call, { _tag: "Output", output }, out)
    return true
  },
  AnswerFailed: (call, { id, message, cause, reason = "failed", by }, out) => {
    if (questionOf(call).kind !== "delegate" || !isOpen(call, id)) return false
    if (by !== undefined) namedBy(call, by)
    answered(call, { _tag: "Failure", message, cause, reason }, out)
    return true
  },
  Returned: abandoningQuestion(() => runningRow.Returned),
  Exhausted: abandoningQuestion(() => runningRow.Exhausted),
  Failed: abandoningQuestion(() => runningRow.Failed),
  TimedOut: (call, { message }, out) => {
    const question = questionOf(call)
    if (question.kind === "approval") {
      stop(call, endWith({ _tag: "Denied", by: "expired", message, decidedBy: byTimeout }), out)
    } else {
      out.push(commands.closeQuestion)
      answered(call, { _tag: "Failure", message, cause: undefined, reason: "timeout" }, out)
    }
    return true
  },
  Marked: (call, _input, out) => {
    const question = questionOf(call)
    if (question.kind !== "approval") return false
    out.push(markOf(question) === "warn" ? commands.warn : commands.escalate)
    question.marks = (question.marks ?? 0) + 1
    return true
  },
  Cancel: (call, { outcome }, out) => {
    const isGate = questionOf(call).kind === "approval"
    const told = isGate ? { ...outcome, message: unapproved(call, outcome.message) } : outcome
    stop(call, endWith(told), out)
    return true
  },
  ToBackground: (call, _input, out) => toBackground(call, "none", out),
}

/** The attempt is ending anyway: a cancel only prevents the restart with edited parameters. */
const cancelRestart: NonNullable<Row["Cancel"]> = (call, { outcome }) => {
  const state = call.state as StateOf<"Stopping"> | StateOf<"Cleaning">
  if (state.then._tag === "End") return false
  call.state = { ...state, then: endWith(outcome) }
  return true
}

const stoppingRow: Row = {
  ...everywhere,
  Stopped: (call, { run }, out) => {
    if (run !== call.run) return false
    stopped(call, false, out)
    return true
  },
  TimedOut: (call, { message }, out) => {
    call.cleanupErrors ??= []
    const name = call.action === undefined ? call.parts[call.at]?.name : call.toolCall.name
    call.cleanupErrors.push(`${name}: ${message}`)
    stopped(call, true, out)
    return true
  },
  Cancel: cancelRestart,
}

const cleaningRow: Row = {
  ...everywhere,
  Returned: (call, { run, step, more }, out) => {
    if (run !== call.run) return false
    closeFinalQuestion(call, out)
    call.more = more
    return applyFinal(call, step, out)
  },
  Exhausted: (call, { run }, out) => run === call.run && nextFinal(call, out),
  Failed: (call, { run, message, more }, out) => {
    if (run !== call.run) return false
    closeFinalQuestion(call, out)
    call.more = more
    return finalFailed(call, message, out)
  },
  Flowed: (call, { run }, out) => run === call.run && advanceFinal(call, out),
  Asked: (call, { run, effect, timeout }, out) =>
    run === call.run && askFinal(call, effect, timeout, true, out),
  Answered: (call, { id, output }, out) => answerFinal(call, id, { _tag: "Output", output }, out),
  AnswerFailed: (call, { id, message, cause, reason = "failed" }, out) =>
    answerFinal(call, id, { _tag: "Failure", message, cause, reason }, out),
  TimedOut: (call, { message }, out) => {
    closeFinalQuestion(call, out)
    out.push(commands.interrupt)
    call.more = false
    return finalFailed(call, message, out)
  },
  Cancel: cancelRestart,
}

const judgingRow: Row = {
  ...everywhere,
  Judged: (call, _input, out) => {
    call.state = ended
    out.push(commands.tellEnd)
    return true
  },
  TimedOut: (call, _input, out) => {
    call.state = ended
    out.push(commands.tellEnd)
    return true
  },
}

/** No other input changes a call that has ended. */
const endedRow: Row = everywhere

const rows: { readonly [State in CallState["_tag"]]: Row } = {
  Queued: queuedRow,
  Held: heldRow,
  Preparing: preparingRow,
  Limited: limitedRow,
  Running: runningRow,
  Asking: askingRow,
  Stopping: stoppingRow,
  Cleaning: cleaningRow,
  Judging: judgingRow,
  Ended: endedRow,
}
