/** What everyone does with the calls of a store in the same way, whoever runs them. */
import { CallIds, toToolCall } from "../pipeline/call/call-input.ts"
import type { ToolCall, ToolCallInput } from "../pipeline/model/call.ts"
import { type ApproveOptions, expectApproval } from "../pipeline/model/event.ts"
import { expectId, expectOptions, expectSignal, expectText } from "../pipeline/model/got.ts"
import { toCount } from "../pipeline/model/options.ts"
import { type ResolveParams, resolveName } from "../resolve/definition.ts"
import { messageOf } from "../text/message-of.ts"
import type { DurableCalls, ResolveOptions } from "./durable-calls.ts"
import type { DurableTasks } from "./durable-tasks.ts"
import { type EventsOptions, expectPlace, expectReading, followEvents } from "./event-log.ts"
import { type AskedQuestion, type InboxItem, type InboxOptions, inboxLimit } from "./inbox.ts"
import { keptText } from "./kept-text.ts"
import type { CallRequest, EffectAnswer } from "./requests.ts"
import { type CallStore, untilStored } from "./store.ts"
import { closedError } from "./store-error.ts"
import type { StoredEvent } from "./stored-event.ts"

/** Of an item of the inbox, what tells it from the other questions of its call. */
const meant = (question: AskedQuestion | undefined): { readonly question?: AskedQuestion } => {
  if (question === undefined) return {}
  const { kind, askedAt } = question
  return { question: { kind, ...(askedAt !== undefined && { askedAt }) } }
}

/** Why a value is not kept, behind "cannot be kept". */
const faultOf = (error: unknown): string => {
  const message = messageOf(error)
  if (!(error instanceof RangeError)) return `, for it is to be plain JSON: ${message}`
  return /call stack/.test(message) ? ", for it is nested too deeply" : `. ${message}`
}

/** Throws a TypeError for a call that no process after this one would have as it is. */
const checkKept = (call: ToolCall): void => {
  try {
    keptText(call)
  } catch (error) {
    throw new TypeError(`The call \`${call.callId}\` cannot be kept${faultOf(error)}`)
  }
}

/** The calls of a store. Who runs them says how they are queued and asked. */
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

  async enqueue(calls: ReadonlyArray<ToolCallInput>): Promise<Array<string>> {
    const toolCalls = this.toToolCalls(calls)
    if (this.store.isClosed) throw closedError()
    for (const call of toolCalls) checkKept(call)
    if (toolCalls.length > 0) await this.submit(toolCalls)
    return toolCalls.map(({ callId }) => callId)
  }

  async approve(callId: string, options?: ApproveOptions, question?: AskedQuestion): Promise<boolean> {
    expectApproval(options)
    return this.took({ _tag: "Approve", callId, ...(options && { options }), ...meant(question) })
  }

  deny(callId: string, reason?: string, question?: AskedQuestion): Promise<boolean> {
    return this.took({ _tag: "Deny", callId, ...(reason !== undefined && { reason }), ...meant(question) })
  }

  respond(callId: string, answer: EffectAnswer, question?: AskedQuestion): Promise<boolean> {
    return this.took({ _tag: "Respond", callId, answer, ...meant(question) })
  }

  cancel(callId: string, reason?: string): Promise<boolean> {
    return this.cancelCall(callId, reason)
  }

  cancelCall(callId: string, reason?: string): Promise<boolean> {
    return this.took({ _tag: "Cancel", callId, ...(reason !== undefined && { reason }) })
  }

  async resolve(request: ResolveParams, options: ResolveOptions = {}): Promise<boolean> {
    expectOptions("resolve", options, ["agentId", "signal"])
    const { agentId, signal } = options
    expectSignal(signal)
    const callId = this.ids.next()
    const call = { callId, name: resolveName, params: request, ...(agentId !== undefined && { agentId }) }
    // In a lane of its own: what waits in its agent's may wait for this.
    await this.enqueue([{ ...call, lane: callId }])
    const last = await untilStored(this.store, () => this.result(callId), signal)
    return last?._tag === "Completed"
  }

  async inbox(options: InboxOptions = {}): Promise<Array<InboxItem>> {
    expectOptions("inbox", options, ["agentId", "after", "limit"])
    expectText("agentId", options.agentId)
    expectPlace(options.after)
    toCount("limit", options.limit, inboxLimit)
    return this.store.inbox(options)
  }

  events(options: EventsOptions = {}): AsyncGenerator<StoredEvent, undefined, undefined> {
    expectReading(options)
    return followEvents(this.store, options)
  }

  async result(callId: string): Promise<StoredEvent | undefined> {
    const text = await this.store.result(callId)
    return text === undefined ? undefined : (JSON.parse(text) as StoredEvent)
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  /** Fills in what they leave out. Throws a TypeError for what are no calls. */
  protected toToolCalls(calls: ReadonlyArray<ToolCallInput>): Array<ToolCall> {
    if (!Array.isArray(calls)) throw new TypeError("Expected `enqueue` to be given an array of calls")
    return calls.map((call: ToolCallInput) => toToolCall(call, this.ids))
  }

  private async took(request: CallRequest): Promise<boolean> {
    expectId("call", request.callId)
    return (await this.ask(request)) === true
  }
}
