/** Asks the open question of a call: a gate goes to the host, and an effect to the executor itself, to `delegates` or to the host. */

import { toMillis } from "../../model/duration.ts"
import type { AwaitingApprovalEvent } from "../../model/event.ts"
import type { Mutable } from "../../model/mutable.ts"
import { type CallFilter, delegateOf, type FilteredTool } from "../../model/options.ts"
import { tellAlone } from "../../model/thenable.ts"
import { textOutput } from "../../output/output.ts"
import type { RememberChoice } from "../../policy/index.ts"
import { answerOfTasks, type Sleep } from "../../tasks/task-answers.ts"
import { messageOf } from "../../text/message-of.ts"
import type { Call } from "../call/call.ts"
import { type ApprovalQuestion, type EffectQuestion, openQuestion } from "../call/state.ts"
import type { Engine } from "../engine.ts"
import { afterWaiting, closeQuestion, effectLimit, suspended } from "../time/call-time.ts"
import { unansweredMessage } from "../time/time-messages.ts"
import { approving, denying, fail, succeed } from "./answers.ts"
import { editorRefusal, ranOut } from "./editor-silence.ts"
import { foundBy, noRuleFor } from "./ruling.ts"

/** Adds an allow rule for the call that the open gate passes. */
export const rememberCall = (engine: Engine, call: Call, choice: RememberChoice): void => {
  const asked = gateTool(engine, call)
  // A failure here is harmless: without a rule, the host is asked again at the next call.
  if (asked !== undefined)
    tellAlone(() => engine.rememberingFilters.remember?.(asked, call.subject.params, choice))
}

/** The tool whose call waits at the open gate, as rules see it. */
export const gateTool = (
  engine: Engine,
  { subject, toolCall, tool, memory }: Call,
): FilteredTool | undefined => foundBy(subject === toolCall ? tool : engine.toolOf(subject.name), memory)

/** The rules that an approval of the open gate would add; undefined if it would add none. */
export const rulesToRemember = (
  engine: Engine,
  call: Call,
  choice: RememberChoice,
): ReturnType<NonNullable<CallFilter["rememberable"]>> => {
  const question = openQuestion(call.state)
  const asked = gateTool(engine, call)
  if (question?.kind !== "approval" || question.person || asked === undefined) return undefined
  try {
    return engine.rememberingFilters.rememberable?.(asked, call.subject.params, choice)
  } catch {
    return undefined
  }
}

/** Asks the open question. */
export const askHost = (engine: Engine, call: Call): void => {
  const question = openQuestion(call.state)
  if (question === undefined) return
  call.told = question.id
  if (question.kind === "approval") {
    if (question.isAsked) askApproval(engine, call, question)
  } else if (!question.isAsked) {
    question.isAsked = true
    askEffect(engine, call, question)
  }
}

/** The event of an open gate. */
export const approvalEvent = (
  engine: Engine,
  call: Call,
  question: ApprovalQuestion,
): AwaitingApprovalEvent => {
  const { id, person, label, because, terms, votes } = question
  const { subject, output } = call
  const { agentId, callId, name, params, background } = subject
  const event: Mutable<AwaitingApprovalEvent> = {
    _tag: "AwaitingApproval",
    agentId,
    callId,
    name,
    params,
    background,
    because: because ?? noRuleFor(name),
    seq: 0,
    at: 0,
    approve: (options) => approving(engine, call, options, id) === true,
    deny: (reason, options) => denying(engine, call, reason, options, id) === true,
  }
  // Set one by one: that is faster than spreading them, and most calls have none.
  if (label !== undefined) event.label = label
  else if (call.toolCall.label !== undefined) event.label = call.toolCall.label
  if (output !== undefined) event.preview = output
  if (person) event.person = person
  if (terms?.named) event.named = true
  if (terms?.quorum !== undefined) event.quorum = terms.quorum
  if (votes !== undefined) event.approvedBy = votes
  return event
}

const askApproval = (engine: Engine, call: Call, question: ApprovalQuestion): void => {
  suspended(engine, call)
  // Noted before the event is emitted, because a listener may answer at once.
  call.askedSeq = engine.stamps.last + 1
  call.to.sink.push(approvalEvent(engine, call, question))
}

const askEffect = (engine: Engine, call: Call, question: EffectQuestion): void => {
  const { id, effect, timeout } = question
  const { sink } = call.to
  const { agentId, callId } = call.toolCall
  const failed = (message: string, cause?: unknown) =>
    engine.receive(call, { _tag: "AnswerFailed", id, message, cause })
  const tag = effect?._tag
  if (typeof tag !== "string") return void failed("An effect needs a `_tag` that names it")
  const own = answerOfTasks(engine.tasks, agentId, effect)
  if (typeof own === "string")
    return void engine.receive(call, { _tag: "Answered", id, output: textOutput(own) })
  const answerer = delegateOf(engine.settings.delegates, tag)
  if (own === undefined && answerer === undefined && !sink.answers) {
    return void failed(`The effect ${tag} needs a host, and nobody is there to answer it`)
  }
  try {
    if (timeout !== undefined) toMillis("timeout", timeout)
  } catch (error) {
    return void failed(messageOf(error), error)
  }
  const { sourceCallId } = call.links
  const source = sourceCallId === undefined ? undefined : { sourceCallId }
  suspended(engine, call)
  // The limit of a finally handler is that of all its steps, so that its effect needs a deadline of its own.
  if (call.state._tag === "Cleaning")
    afterWaiting(engine, call, effectLimit(question, engine.settings), () =>
      effectTimedOut(engine, call, question),
    )
  if (own !== undefined) {
    const sleep: Sleep = (millis, signal) => engine.deadlines.sleep(millis, signal)
    return void askFunction(engine, call, id, (signal) => own(sleep, signal))
  }
  if (answerer !== undefined) {
    const of = { agentId, callId, ...source }
    return void askFunction(engine, call, id, async (signal) => answerer(effect as never, { ...of, signal }))
  }
  call.askedAt = sink.sequence
  sink.push({
    _tag: "Delegate",
    agentId,
    callId,
    ...source,
    effect,
    seq: 0,
    at: 0,
    succeed: (output) => succeed(engine, call, output, id),
    fail: (message) => fail(engine, call, message, id),
  })
  // A listener may have answered while the event was emitted.
  const refusal = openQuestion(call.state)?.id === id ? editorRefusal(engine, call, tag) : undefined
  if (refusal !== undefined)
    return void engine.receive(call, {
      _tag: "AnswerFailed",
      id,
      message: refusal,
      cause: undefined,
      reason: "timeout",
    })
  // A host that still reads events does so within one turn of the event loop.
  if (engine.closing) setImmediate(() => failUnread(engine, call))
}

/** Fails an effect that a finally handler waits for. */
const effectTimedOut = (engine: Engine, call: Call, question: EffectQuestion): void => {
  ranOut(call, question)
  closeQuestion(call)
  const message = unansweredMessage(question, engine.settings)
  engine.receive(call, {
    _tag: "AnswerFailed",
    id: question.id,
    message,
    cause: undefined,
    reason: "timeout",
  })
}

/** Asks a function instead of emitting an event. */
const askFunction = async (
  engine: Engine,
  call: Call,
  id: number,
  answer: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> => {
  const controller = new AbortController()
  call.controller = controller
  const over = () => {
    // A later question may already have replaced the controller with its own.
    if (call.controller === controller) call.controller = undefined
  }
  try {
    const output = await answer(controller.signal)
    over()
    succeed(engine, call, output, id)
  } catch (error) {
    over()
    fail(engine, call, error, id)
  }
}

/** Fails an effect whose event was never read, because the host has stopped reading. */
export const failUnread = (engine: Engine, call: Call): void => {
  const question = openQuestion(call.state)
  if (question?.kind !== "delegate" || call.controller !== undefined) return
  if (call.to.sink.isUnread(call.askedAt)) fail(engine, call, "The host has shut down", question.id)
}
