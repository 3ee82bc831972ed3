/** Puts a call's open question: a gate to rules and the host, an effect to whoever answers it. */

import { type ToolOutput, textOutput } from "../../output/output.ts"
import type { RememberChoice } from "../../policy/index.ts"
import { answerOfTasks, type Sleep } from "../../tasks/task-answers.ts"
import { messageOf } from "../../text/message-of.ts"
import type { EventSink } from "../events/event-sink.ts"
import { toMillis } from "../model/duration.ts"
import type { ApproveOptions, AwaitingApprovalEvent } from "../model/event.ts"
import type { Mutable } from "../model/mutable.ts"
import { type CallFilter, delegateOf, type FilteredTool } from "../model/options.ts"
import { tellAlone } from "../model/thenable.ts"
import type { Tool } from "../model/tool.ts"
import { editorRefusal } from "./editor-silence.ts"
import type { Engine } from "./engine.ts"
import type { Input } from "./input.ts"
import { foundBy, noRuleFor } from "./ruling.ts"
import type { ApprovalQuestion, CallRecord, EffectQuestion, Question } from "./state.ts"

/** The call that asks. */
export interface Asker {
  readonly engine: Engine
  readonly record: CallRecord
  readonly tool: Tool<unknown> | undefined
  readonly sink: EventSink
  /** The signal of a function that answers; set while one is asked. */
  controller: AbortController | undefined
  /** Where the event of the open effect stands in the queue. */
  askedAt: number
  approve(options?: ApproveOptions, id?: number): boolean
  deny(reason?: string, id?: number): boolean
  succeed(output: unknown, id: number): boolean
  fail(message: unknown, id: number): boolean
  /** What comes from inside is acted on at once. */
  receive(input: Input): boolean
  /** From here on the time that is allowed runs. */
  suspended(): void
  /** Does something after this time, where it still waits for the same. */
  afterWaiting(millis: number, late: () => void): void
}

/** The question that is open. */
export const openQuestion = ({ state }: CallRecord): Question | undefined =>
  state._tag === "Asking" || state._tag === "Cleaning" ? state.question : undefined

/** Makes a rule of what the open gate let through. */
export const rememberCall = (asker: Asker, choice: RememberChoice): void => {
  const { engine, record } = asker
  const asked = gateTool(asker)
  // Without a rule the next call is asked again.
  if (asked !== undefined)
    tellAlone(() => engine.rememberingFilters.remember?.(asked, record.subject.params, choice))
}

/** The tool that the open gate is about, as rules look at it. */
export const gateTool = ({ engine, record, tool }: Asker): FilteredTool | undefined =>
  foundBy(record.subject === record.call ? tool : engine.toolOf(record.subject.name), record.memory)

/** The rules that an approval of the open gate would add; undefined where it would add none. */
export const rulesToRemember = (
  asker: Asker,
  choice: RememberChoice,
): ReturnType<NonNullable<CallFilter["rememberable"]>> => {
  const question = openQuestion(asker.record)
  const asked = gateTool(asker)
  if (question?.kind !== "approval" || question.person || asked === undefined) return undefined
  try {
    return asker.engine.rememberingFilters.rememberable?.(asked, asker.record.subject.params, choice)
  } catch {
    return undefined
  }
}

const choices: ReadonlySet<unknown> = new Set(["call", "command", "tool"])

/** What a host means that answers `remember`; false for what means nothing. */
export const readChoice = (remember: unknown): RememberChoice | false => {
  if (remember === undefined) return false
  if (remember === true) return "call"
  if (choices.has(remember)) return remember as RememberChoice
  const rule: unknown = (remember as { readonly rule?: unknown } | null | undefined)?.rule
  return typeof rule === "string" ? { rule } : false
}

/** Puts the question that is open. */
export const askHost = (asker: Asker): void => {
  const question = openQuestion(asker.record)
  if (question?.kind === "approval") {
    if (question.put) askApproval(asker, question)
  } else if (question?.put === false) {
    question.put = true
    askEffect(asker, question)
  }
}

type Approval = Pick<
  AwaitingApprovalEvent,
  "agentId" | "callId" | "name" | "params" | "background" | "label" | "preview" | "because"
>

/** Set one by one: most calls have none of them, and every approval pays for this. */
const addDetails = (to: Mutable<Approval>, output: ToolOutput | undefined, label: string | undefined) => {
  if (label !== undefined) to.label = label
  if (output !== undefined) to.preview = output
}

/** What whoever decides an approval is told of it. */
export const approvalOf = ({ subject, output }: CallRecord, question: ApprovalQuestion): Approval => {
  const { agentId, callId, name, params, background } = subject
  const because = question.because ?? noRuleFor(name)
  const approval = { agentId, callId, name, params, background, because }
  addDetails(approval, output, question.label)
  return approval
}

/** What is told of an open gate. */
export const approvalEvent = (
  asker: Pick<Asker, "record" | "approve" | "deny">,
  question: ApprovalQuestion,
): AwaitingApprovalEvent => {
  const { id, person, label, because } = question
  const { subject, output } = asker.record
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
    approve: (options) => asker.approve(options, id),
    deny: (reason) => asker.deny(reason, id),
  }
  addDetails(event, output, label)
  if (person) event.person = person
  return event
}

const askApproval = (asker: Asker, question: ApprovalQuestion): void => {
  asker.suspended()
  asker.sink.push(approvalEvent(asker, question))
}

const askEffect = (asker: Asker, { id, effect, timeout }: EffectQuestion): void => {
  const { engine, sink, record } = asker
  const { agentId, callId } = record.call
  const failed = (message: string, cause?: unknown) =>
    asker.receive({ _tag: "AnswerFailed", id, message, cause })
  const tag = effect?._tag
  if (typeof tag !== "string") return void failed("An effect needs a `_tag` that names it")
  const own = answerOfTasks(engine.tasks, agentId, effect)
  if (typeof own === "string") return void asker.receive({ _tag: "Answered", id, output: textOutput(own) })
  const answerer = delegateOf(engine.settings.delegates, tag)
  if (own === undefined && answerer === undefined && !sink.answers) {
    return void failed(`The effect ${tag} needs a host, and nobody is there to answer it`)
  }
  try {
    if (timeout !== undefined) toMillis("timeout", timeout)
  } catch (error) {
    return void failed(messageOf(error), error)
  }
  const { sourceCallId } = record.ties
  const source = sourceCallId === undefined ? undefined : { sourceCallId }
  asker.suspended()
  if (own !== undefined) {
    const sleep: Sleep = (millis, signal) => engine.deadlines.sleep(millis, signal)
    return void askFunction(asker, id, (signal) => own(sleep, signal))
  }
  if (answerer !== undefined) {
    const call = { agentId, callId, ...source }
    return void askFunction(asker, id, async (signal) => answerer(effect as never, { ...call, signal }))
  }
  asker.askedAt = sink.sequence
  sink.push({
    _tag: "Delegate",
    agentId,
    callId,
    ...source,
    effect,
    seq: 0,
    at: 0,
    succeed: (output) => asker.succeed(output, id),
    fail: (message) => asker.fail(message, id),
  })
  // Whoever is told here may have answered here.
  const refusal = openQuestion(record)?.id === id ? editorRefusal(asker, tag) : undefined
  if (refusal !== undefined)
    return void asker.receive({
      _tag: "AnswerFailed",
      id,
      message: refusal,
      cause: undefined,
      reason: "timeout",
    })
  // A reader that is still there reads within a turn of the event loop.
  if (engine.closing) setImmediate(() => failUnread(asker))
}

/** Asks a function instead of the host's reader of events. */
const askFunction = async (
  asker: Asker,
  id: number,
  answer: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> => {
  const controller = new AbortController()
  asker.controller = controller
  const over = () => {
    // The next question is the host's again, unless a function is asked that too.
    if (asker.controller === controller) asker.controller = undefined
  }
  try {
    const output = await answer(controller.signal)
    over()
    asker.succeed(output, id)
  } catch (error) {
    over()
    asker.fail(error, id)
  }
}

/** Fails an effect that nobody has read, for a host that is gone. */
export const failUnread = (asker: Asker): void => {
  const question = openQuestion(asker.record)
  if (question?.kind !== "delegate" || asker.controller !== undefined) return
  if (asker.sink.isUnread(asker.askedAt)) asker.fail("The host has shut down", question.id)
}
