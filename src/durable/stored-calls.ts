/** The operations that are the same for the process that runs the calls of a store and for every client. */

import type { EnqueueOptions, ToolCall, ToolCallInput } from "../model/call.ts"
import {
  type AnswerOptions,
  type ApproveOptions,
  expectAnswerOptions,
  expectApproval,
} from "../model/event.ts"
import { expectBy, expectId, expectOptions, expectSignal, expectText, toCount } from "../model/got.ts"
import { CallIds, toldOf, toToolCall } from "../pipeline/call/call-input.ts"
import {
  type AnswerOutcome,
  eachOnce,
  expectAnswers,
  type ListedAnswer,
  noCall,
  type Taken,
} from "../pipeline/questions/answer-list.ts"
import { type ResolveParams, resolveName } from "../resolve/definition.ts"
import { isPlainObject } from "../schema/plain-object.ts"
import { messageOf } from "../text/message-of.ts"
import type { DurableCalls, ResolveOptions } from "./durable-calls.ts"
import type { DurableTasks } from "./durable-tasks.ts"
import { type EventsOptions, expectPlace, expectReading, followEvents } from "./event-log.ts"
import {
  type AnswerItem,
  type AskedQuestion,
  type InboxItem,
  type InboxOptions,
  inboxLimit,
  type WaitingCall,
} from "./inbox.ts"
import { keptText } from "./kept-text.ts"
import { type EndNotes, type PoisonedCall, retryOf } from "./poisoned.ts"
import type { CallRequest, EffectAnswer } from "./requests.ts"
import { type CallStore, untilStored } from "./store.ts"
import { closedError } from "./store-error.ts"
import { readEvent, type StoredEvent } from "./stored-event.ts"

/** The fields of an inbox item that distinguish the questions of a call. */
const keyOf = (question: Partial<AskedQuestion> | undefined): { readonly question?: AskedQuestion } => {
  const { kind, askedAt } = question ?? {}
  if (kind === undefined) return {}
  return { question: { kind, ...(askedAt !== undefined && { askedAt }) } }
}

const kinds: ReadonlySet<unknown> = new Set(["approval", "start", "effect"])

/** The options of `deny` and `respond`, as fields of a request. */
const answering = (
  options: AnswerItem | undefined,
): Pick<CallRequest & { _tag: "Deny" }, "by" | "question"> => {
  const { by } = options ?? {}
  expectBy(by)
  return { ...(by !== undefined && { by }), ...keyOf(options) }
}

/** Why a value cannot be kept: the end of a sentence that begins "… cannot be kept". */
const faultOf = (error: unknown): string => {
  const message = messageOf(error)
  if (!(error instanceof RangeError)) return `, for it is to be plain JSON: ${message}`
  return /call stack/.test(message) ? ", for it is nested too deeply" : `. ${message}`
}

/** Throws a TypeError for a call that the store cannot keep. */
const checkKept = (call: ToolCall): void => {
  try {
    keptText(call)
  } catch (error) {
    throw new TypeError(`The call \`${call.callId}\` cannot be kept${faultOf(error)}`)
  }
}

/** Checks the options of a page. Throws a TypeError for invalid ones. */
const checkedPage = (method: string, options: InboxOptions): InboxOptions => {
  expectOptions(method, options, ["agentId", "after", "limit"])
  expectText("agentId", options.agentId)
  expectPlace(options.after)
  toCount("limit", options.limit, inboxLimit)
  return options
}

/** The calls of a store. Its subclasses queue calls and send requests. */
export abstract class StoredCalls implements DurableCalls {
  abstract readonly tasks: DurableTasks
  protected readonly store: CallStore
  private readonly ids = new CallIds("call", true)

  constructor(store: CallStore) {
    this.store = store
  }

  protected abstract submit(calls: ReadonlyArray<ToolCall>): Promise<void>

  protected abstract ask(request: CallRequest): Promise<unknown>

  abstract close(): Promise<void>

  async enqueue(calls: ReadonlyArray<ToolCallInput>, options?: EnqueueOptions): Promise<Array<string>> {
    const toolCalls = this.toToolCalls(calls, options)
    if (this.store.isClosed) throw closedError()
    for (const call of toolCalls) checkKept(call)
    if (toolCalls.length > 0) await this.submit(toolCalls)
    return toolCalls.map(({ callId }) => callId)
  }

  async approve(callId: string, options?: ApproveOptions, question?: AskedQuestion): Promise<boolean> {
    expectApproval(options)
    return this.took({ _tag: "Approve", callId, ...(options && { options }), ...keyOf(question) })
  }

  async deny(callId: string, reason?: string, options?: AnswerItem): Promise<boolean> {
    return this.took({ _tag: "Deny", callId, ...(reason !== undefined && { reason }), ...answering(options) })
  }

  async answer(
    list: ReadonlyArray<ListedAnswer<AskedQuestion>>,
    options?: AnswerOptions,
  ): Promise<Array<AnswerOutcome>> {
    expectAnswerOptions("answer", options)
    expectAnswers(list, (question) => kinds.has((question as AskedQuestion).kind), "an item of the inbox")
    const by = options?.by
    const outcomes = eachOnce(list, async ({ callId, question, approve, deny }) => {
      const answer = approve === undefined ? { deny: deny! } : { approve }
      const request = {
        _tag: "Answer",
        callId,
        answer,
        ...(by !== undefined && { by }),
        ...keyOf(question),
      } as const
      const outcome = await this.ask(request)
      // No process runs a call that the store does not know.
      return { callId, ...(isPlainObject(outcome) ? (outcome as Taken) : noCall(callId)) }
    })
    return Promise.all(outcomes)
  }

  async respond(callId: string, answer: EffectAnswer, options?: AnswerItem): Promise<boolean> {
    return this.took({ _tag: "Respond", callId, answer, ...answering(options) })
  }

  cancel(callId: string, reason?: string): Promise<boolean> {
    return this.cancelCall(callId, reason)
  }

  cancelCall(callId: string, reason?: string): Promise<boolean> {
    return this.took({ _tag: "Cancel", callId, ...(reason !== undefined && { reason }) })
  }

  async resolve(request: ResolveParams, options: ResolveOptions = {}): Promise<boolean> {
    expectOptions("resolve", options, ["agentId", "signal", "by"])
    const { agentId, by, signal } = options
    expectSignal(signal)
    const callId = this.ids.next()
    const who = { ...(agentId !== undefined && { agentId }), ...(by !== undefined && { by }) }
    const call = { callId, name: resolveName, params: request, ...who }
    // In a separate lane, because calls in the agent's lane may wait for this one.
    await this.enqueue([{ ...call, lane: callId }])
    const last = await untilStored(this.store, () => this.result(callId), signal)
    return last?._tag === "Completed"
  }

  async inbox(options: InboxOptions = {}): Promise<Array<InboxItem>> {
    return this.store.inbox(checkedPage("inbox", options))
  }

  async awaitingTool(options: InboxOptions = {}): Promise<Array<WaitingCall>> {
    return this.store.awaitingTool(checkedPage("awaitingTool", options))
  }

  async poisoned(options: InboxOptions = {}): Promise<Array<PoisonedCall>> {
    return this.store.poisoned(checkedPage("poisoned", options))
  }

  async retry(callId: string): Promise<string | undefined> {
    expectId("call", callId)
    const { call } = (await this.ended(callId)) ?? {}
    if (call === undefined) return undefined
    const [retried] = await this.enqueue([retryOf(call)])
    return retried
  }

  events(options: EventsOptions = {}): AsyncGenerator<StoredEvent, undefined, undefined> {
    expectReading(options)
    return followEvents(this.store, options)
  }

  async result(callId: string): Promise<StoredEvent | undefined> {
    const stored = await this.ended(callId)
    if (stored === undefined) return undefined
    const { madeWith: _, call: __, receipts: ___, ...event } = stored
    return event as StoredEvent
  }

  private async ended(callId: string): Promise<(StoredEvent & EndNotes) | undefined> {
    const text = await this.store.result(callId)
    return text === undefined ? undefined : readEvent(text, `The result of the call "${callId}"`)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Fills in defaults. Throws a TypeError for anything but calls. */
  protected toToolCalls(calls: ReadonlyArray<ToolCallInput>, options?: EnqueueOptions): Array<ToolCall> {
    const toolCalls = toldOf("enqueue", calls, options).map((call) => toToolCall(call, this.ids))
    // The calls are one turn, whichever processes run them.
    return toolCalls.length < 2
      ? toolCalls
      : toolCalls.map((call) => ({ turn: toolCalls[0]!.callId, ...call }))
  }

  private async took(request: CallRequest): Promise<boolean> {
    expectId("call", request.callId)
    return (await this.ask(request)) === true
  }
}
