/**
 * The state machine of a call: a table of what each input does in each state. It changes the record and says what is to
 * be done; it calls no handler, host, timer or clock. An input that a state has no entry for changes nothing, and
 * `transition` gives false: an answer that came too late, a cancel of what is ending anyway.
 */
import { withHint } from "../../resolve/reminder.ts"
import { byCall, byTimeout, byUserBecause } from "../model/decision.ts"
import type { Resolution } from "../model/handler.ts"
import { cancelled, deniedByUser, failed, type Stopped } from "../model/outcome.ts"
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
  actFor,
  actionSucceeded,
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
  releaseAction,
  stop,
  stopped,
  tellBackground,
} from "./running.ts"
import { type CallRecord, type CallState, ended, held, running, type StateOf } from "./state.ts"

type InputOf<Tag extends Input["_tag"]> = Extract<Input, { readonly _tag: Tag }>
type Move<I> = (record: CallRecord, input: I, out: Outbox) => boolean
type Row = { readonly [Tag in Input["_tag"]]?: Move<InputOf<Tag>> }

const noFinals: CallRecord["finals"] = []

/** True where the input took effect. */
export const transition = (record: CallRecord, input: Input, out: Outbox): boolean => {
  const move = rowOf(record.state)[input._tag] as Move<Input> | undefined
  return move?.(record, input, out) ?? false
}

/** The row of the table, without a lookup by name: every input pays for it. */
const rowOf = ({ _tag }: CallState): Row => {
  switch (_tag) {
    case "Running":
      return runningRow
    case "Asking":
      return askingRow
    case "Queued":
      return queuedRow
    case "Preparing":
      return preparingRow
    case "Judging":
      return judgingRow
    case "Cleaning":
      return cleaningRow
    case "Stopping":
      return stoppingRow
    case "Held":
      return heldRow
    case "Ended":
      return endedRow
  }
}

/** What does not depend on the state, in each row: a look beside it would be paid for by every input. */
const everywhere: Row = {
  /** What was left behind while it applied an action has ended at last: the action is pending again. */
  Stopped: (record, { run }, out) => {
    if (record.action === undefined || run !== record.run) return false
    releaseAction(record, "RestoreAction", out)
    return true
  },
  Announced: (record) => {
    if (record.announced !== "due") return false
    record.announced = "yes"
    return true
  },
}

// --- Answers before anything runs

const resolutionOf = (reason: string | undefined): Resolution =>
  reason === undefined ? { action: "apply" } : { action: "apply", reason }

/** Approves a `requested` call. */
const grant = (
  record: CallRecord,
  { params, edit: isEdited, reason, remember }: InputOf<"Approve">,
): boolean => {
  if (record.call.decision !== "requested") return false
  record.call.decision = "approve"
  record.approval = resolutionOf(reason)
  record.decidedBy = byUserBecause(reason)
  if (isEdited) edit(record, params)
  record.remember = remember
  return true
}

const refuse = (record: CallRecord, outcome: Stopped): boolean => {
  if (record.call.decision !== "requested") return false
  record.call.decision = "deny"
  record.refusal = outcome
  return true
}

const toBackground = (record: CallRecord, place: CallRecord["place"], out: Outbox): boolean => {
  if (record.call.background) return false
  record.call.background = true
  record.place = place
  // A task from here on, whatever comes before the host reads of it.
  record.announced = "yes"
  out.push(commands.announce)
  out.push(commands.leaveLane)
  return true
}

/** What a call is told to have done that was cancelled at its gate. */
const unapproved = ({ passed, action, at }: CallRecord, reason: string): string => {
  // What the model applied may have done something before it came to this gate.
  const isFirst = passed === 0 && (action === undefined || at === 0)
  return isFirst
    ? `${reason}\nNothing was changed: the call was waiting for approval.`
    : `${reason}\nThe call was waiting for another approval, and nothing that needs it was done.`
}

/** The handler that runs has gone on, though its question is open: nobody waits for the answer any more. */
const goneOn =
  <I extends { readonly run: number }>(then: () => Move<I> | undefined): Move<I> =>
  (record, input, out) => {
    const question = questionOf(record)
    if (question.kind !== "delegate" || !question.midway || input.run !== record.run) return false
    // Where it is yet to be asked, what would ask it finds the next question open, which must stay so.
    if (question.put) out.push(commands.closeQuestion)
    record.state = running
    return then()!(record, input, out)
  }

// --- The table

const queuedRow: Row = {
  ...everywhere,
  Turn: (record, _input, out) => {
    const { resume } = record
    if (resume !== undefined) {
      record.resume = undefined
      goOn(record, resume, out)
      return true
    }
    const { decision } = record.call
    if (decision === "deny") return end(record, record.refusal ?? deniedByUser(undefined, byCall), out)
    if (decision === "requested") record.state = held
    else prepare(record, out)
    return true
  },
  /** It is no call, or comes too late. */
  Refused: (record, { outcome }, out) => end(record, outcome, out),
  Drop: (record, { action }, out) => {
    actFor(record, action, undefined)
    record.output = action.output
    record.memory = action.memory
    record.finals = action.finals
    clean(record, endWith(cancelled()), out)
    return true
  },
  Approve: grant,
  Deny: (record, { outcome }) => refuse(record, outcome),
  Cancel: (record, { outcome }, out) => {
    const { resume } = record
    if (resume === undefined) return end(record, outcome, out)
    // What is being cleaned up is ending anyway, unless it was to run again.
    if (resume._tag === "Clean") {
      if (resume.then._tag === "End") return false
      record.resume = { ...resume, then: endWith(outcome) }
      return true
    }
    stop(record, endWith(outcome), out)
    return true
  },
}

const heldRow: Row = {
  ...everywhere,
  Approve: (record, input, out) => {
    if (!grant(record, input)) return false
    prepare(record, out)
    return true
  },
  Deny: (record, { outcome }, out) => refuse(record, outcome) && end(record, outcome, out),
  Cancel: (record, { outcome }, out) => end(record, outcome, out),
}

const preparingRow: Row = {
  ...everywhere,
  Admitted: (record, { params, parts, finals, gates }, out) => {
    record.call.params = params
    record.parts = parts
    record.finals = finals
    record.at = 0
    record.state = running
    if (!record.started) {
      record.started = true
      out.push(commands.tellStarted)
    }
    if (record.remember !== false) {
      out.push({ _tag: "Remember", choice: record.remember })
      record.remember = false
    }
    if (record.call.background && gates <= record.decided) tellBackground(record, out)
    enter(record, out)
    return true
  },
  Refused: (record, { outcome }, out) => end(record, outcome, out),
  Cancel: (record, { outcome }, out) => endPreparing(record, outcome, out),
  TimedOut: (record, { message }, out) => endPreparing(record, failed("timeout", message), out),
}

const runningRow: Row = {
  ...everywhere,
  Placed: (record, _input, out) => {
    if (record.place !== "asked") return false
    record.place = "held"
    out.push(record.reply === undefined ? commands.run : commands.reply)
    return true
  },
  Returned: (record, { run, step, more }, out) => {
    if (run !== record.run) return false
    record.reply = undefined
    record.more = more
    apply(record, step, out)
    return true
  },
  Exhausted: (record, { run }, out) => {
    if (run !== record.run) return false
    record.reply = undefined
    record.more = false
    advance(record, out)
    return true
  },
  Failed: (record, { run, message, cause, thrown, more, reason }, out) => {
    if (run !== record.run) return false
    record.reply = undefined
    record.more = more
    fail(record, { message, cause, thrown, reason }, out)
    return true
  },
  Flowed: (record, { run }, out) => {
    if (run !== record.run) return false
    advance(record, out)
    return true
  },
  Asked: (record, { run, effect, timeout }, out) => {
    if (run !== record.run) return false
    ask(record, { kind: "delegate", id: ++record.asked, effect, timeout, midway: true, put: false }, out)
    return true
  },
  Claimed: (record, { action, params, parts }, out) => {
    const { reason, extra } = params
    record.action = action
    actFor(record, action, params)
    record.parts = parts
    record.at = 0
    record.output = action.output
    record.memory = action.memory
    record.resolution = {
      action: params.action,
      reason,
      ...(extra !== undefined && extra !== null && { extra }),
    }
    enter(record, out)
    return true
  },
  Staged: (record, { actionId, label }, out) => {
    const preview = withHint(record.output, label)
    record.ties = { ...record.ties, staged: { actionId, label } }
    if (record.action !== undefined) {
      actionSucceeded(record, preview, out)
      return true
    }
    record.output = preview
    // They wait for the end of the action.
    record.finals = noFinals
    complete(record, out)
    return true
  },
  Unstaged: (record, { message }, out) => {
    fail(record, { message }, out)
    return true
  },
  Cancel: (record, { outcome }, out) => {
    stop(record, endWith(outcome), out)
    return true
  },
  TimedOut: (record, { message }, out) => {
    stop(record, endWith(failed("timeout", message)), out)
    return true
  },
  ToBackground: (record, _input, out) => toBackground(record, "exempt", out),
}

const askingRow: Row = {
  ...everywhere,
  /** It asked for one before it came to the gate, where rules may let it through at once. */
  Placed: (record) => {
    if (record.place !== "asked") return false
    record.place = "held"
    return true
  },
  Ruled: (record, { id, outcome, decidedBy, because }, out) => {
    const question = questionOf(record)
    if (question.id !== id || question.kind !== "approval" || question.put) return false
    if (outcome === "pass") {
      record.decidedBy = decidedBy
      openGate(record, out)
    } else if (outcome === "ask" || outcome === "review") {
      question.put = outcome === "ask"
      question.because = because
      leavePlace(record, out)
      out.push(outcome === "ask" ? commands.ask : commands.review)
    } else stop(record, endWith(outcome), out)
    return true
  },
  Approve: (record, { id, edit: isEdited, params, reason, remember }, out) => {
    const question = questionOf(record)
    if (question.kind !== "approval" || !question.put || !isOpen(record, id)) return false
    if (isEdited) {
      // Other parameters would need another preview.
      if (record.action !== undefined) return false
      record.passed += 1
      record.approval = resolutionOf(reason)
      record.decidedBy = byUserBecause(reason)
      // A rule could not pass this gate.
      record.remember = question.person ? false : remember
      stop(record, { _tag: "Restart", params }, out)
      return true
    }
    record.approval = resolutionOf(reason)
    record.decidedBy = byUserBecause(reason)
    // First: whoever remembers may end the call.
    if (remember !== false && !question.person) out.push({ _tag: "Remember", choice: remember })
    openGate(record, out)
    return true
  },
  Deny: (record, { id, outcome }, out) => {
    const question = questionOf(record)
    if (question.kind !== "approval" || !question.put || !isOpen(record, id)) return false
    stop(record, endWith(outcome), out)
    return true
  },
  Answered: (record, { id, output }, out) => {
    if (questionOf(record).kind !== "delegate" || !isOpen(record, id)) return false
    answered(record, { _tag: "Output", output }, out)
    return true
  },
  AnswerFailed: (record, { id, message, cause, reason = "failed" }, out) => {
    if (questionOf(record).kind !== "delegate" || !isOpen(record, id)) return false
    answered(record, { _tag: "Failure", message, cause, reason }, out)
    return true
  },
  Returned: goneOn(() => runningRow.Returned),
  Exhausted: goneOn(() => runningRow.Exhausted),
  Failed: goneOn(() => runningRow.Failed),
  TimedOut: (record, { message }, out) => {
    const question = questionOf(record)
    if (question.kind === "approval") {
      stop(record, endWith({ _tag: "Denied", by: "expired", message, decidedBy: byTimeout }), out)
    } else {
      out.push(commands.closeQuestion)
      answered(record, { _tag: "Failure", message, cause: undefined, reason: "timeout" }, out)
    }
    return true
  },
  Cancel: (record, { outcome }, out) => {
    const isGate = questionOf(record).kind === "approval"
    const told = isGate ? { ...outcome, message: unapproved(record, outcome.message) } : outcome
    stop(record, endWith(told), out)
    return true
  },
  ToBackground: (record, _input, out) => toBackground(record, "none", out),
}

/** The attempt is being ended: a cancel still keeps an edited call from running again. */
const cancelRestart: NonNullable<Row["Cancel"]> = (record, { outcome }) => {
  const state = record.state as StateOf<"Stopping"> | StateOf<"Cleaning">
  if (state.then._tag === "End") return false
  record.state = { ...state, then: endWith(outcome) }
  return true
}

const stoppingRow: Row = {
  ...everywhere,
  Stopped: (record, { run }, out) => {
    if (run !== record.run) return false
    stopped(record, false, out)
    return true
  },
  TimedOut: (record, { message }, out) => {
    record.cleanupErrors ??= []
    const name = record.action === undefined ? record.parts[record.at]?.name : record.call.name
    record.cleanupErrors.push(`${name}: ${message}`)
    stopped(record, true, out)
    return true
  },
  Cancel: cancelRestart,
}

const cleaningRow: Row = {
  ...everywhere,
  Returned: (record, { run, step, more }, out) => {
    if (run !== record.run) return false
    closeFinalQuestion(record, out)
    record.more = more
    return applyFinal(record, step, out)
  },
  Exhausted: (record, { run }, out) => run === record.run && nextFinal(record, out),
  Failed: (record, { run, message, more }, out) => {
    if (run !== record.run) return false
    closeFinalQuestion(record, out)
    record.more = more
    return finalFailed(record, message, out)
  },
  Flowed: (record, { run }, out) => run === record.run && advanceFinal(record, out),
  Asked: (record, { run, effect, timeout }, out) =>
    run === record.run && askFinal(record, effect, timeout, true, out),
  Answered: (record, { id, output }, out) => answerFinal(record, id, { _tag: "Output", output }, out),
  AnswerFailed: (record, { id, message, cause, reason = "failed" }, out) =>
    answerFinal(record, id, { _tag: "Failure", message, cause, reason }, out),
  TimedOut: (record, { message }, out) => {
    closeFinalQuestion(record, out)
    out.push(commands.interrupt)
    record.more = false
    return finalFailed(record, message, out)
  },
  Cancel: cancelRestart,
}

const judgingRow: Row = {
  ...everywhere,
  Judged: (record, _input, out) => {
    record.state = ended
    out.push(commands.tellEnd)
    return true
  },
  TimedOut: (record, _input, out) => {
    record.state = ended
    out.push(commands.tellEnd)
    return true
  },
}

/** Nothing changes it any more. */
const endedRow: Row = everywhere
