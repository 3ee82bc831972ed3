/**
 * One call of an MCP client, carried through as many requests as it takes: it stops at every gate, and goes on with the
 * request that brings the answer.
 */
import { randomUUID } from "node:crypto"
import type { CallToolResult } from "@modelcontextprotocol/server"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type {
  AwaitingApprovalEvent,
  DelegateEvent,
  ToolEvent,
  ToolResult,
} from "../../pipeline/model/event.ts"
import type { HostQuestion } from "../waiting-questions.ts"
import { errorResult, toolResult } from "./tool-result.ts"

/** The request that a call is served by at the moment. */
export interface Round {
  readonly signal: AbortSignal
  /** Tells what the call streamed. Resolves when there is room. */
  readonly progress: ((content: string, count: number) => Promise<void>) | undefined
  /** Whether its client shows its user questions. */
  readonly canAsk: boolean
}

/** Where a round has ended. */
export type Stop =
  | { readonly _tag: "Asks"; readonly gate: AwaitingApprovalEvent }
  | { readonly _tag: "Ended"; readonly result: CallToolResult }

export interface ServedCallOptions {
  readonly name: string
  readonly params: unknown
  readonly agentId: string
  readonly meta: Readonly<Record<string, unknown>>
  /** Answers in place of the client. */
  readonly questions: ((question: HostQuestion) => unknown) | undefined
}

/** What the model is told where nobody can be asked. */
const cannotAsk =
  "This call needs its user's approval, and this MCP client cannot ask for it (it does not declare elicitation). The user can allow such calls with a rule of the server."

const askedTooLate = "It runs in the background, where its MCP client can no longer be asked."

const answerEffect = (event: DelegateEvent): void => {
  if (event.effect._tag.startsWith("Ide")) event.succeed()
  else event.fail(`The MCP server cannot answer ${event.effect._tag}`)
}

/** One call of a client. */
export class ServedCall {
  readonly callId = randomUUID()
  readonly name: string
  private readonly executor: ToolExecutor
  private readonly events: AsyncGenerator<ToolEvent, ToolResult, undefined>
  private readonly questions: ServedCallOptions["questions"]
  private readonly agentId: string
  private edited: { readonly params: unknown } | undefined
  /** How many deltas its clients were told of, in all of its rounds: progress has to increase. */
  private told = 0

  constructor(executor: ToolExecutor, { name, params, agentId, meta, questions }: ServedCallOptions) {
    this.executor = executor
    this.name = name
    this.questions = questions
    this.agentId = agentId
    const { callId } = this
    // A lane of its own: a client sends what it wants in order one by one, and a call that waits must not hold up others.
    this.events = executor.runEvents({ callId, name, params, agentId, lane: callId, meta })
  }

  /** Denies it at its gate, and lets it end. */
  deny(reason: string): void {
    this.executor.deny(this.callId, reason)
    void this.drain()
  }

  /** Cancels it at its gate, and lets it end. */
  abandon(): void {
    this.executor.cancelCall(this.callId)
    void this.drain()
  }

  /** Carries it on until it asks, or has ended. */
  async run(round: Round): Promise<Stop> {
    const cancel = () => void this.executor.cancelCall(this.callId)
    round.signal.addEventListener("abort", cancel)
    try {
      if (round.signal.aborted) cancel()
      return await this.read(round)
    } finally {
      round.signal.removeEventListener("abort", cancel)
    }
  }

  private async read(round: Round): Promise<Stop> {
    for (;;) {
      const { done, value } = await this.events.next()
      if (done) return { _tag: "Ended", result: toolResult(value, this.edited?.params) }
      if (value._tag === "AwaitingApproval" && this.asks(value, round)) return { _tag: "Asks", gate: value }
      if (value._tag === "BackgroundStarted") return { _tag: "Ended", result: await this.background() }
      await this.tell(value, round)
    }
  }

  /** Whether the client has to be asked. */
  private asks(gate: AwaitingApprovalEvent, { canAsk }: Round): boolean {
    if (this.questions !== undefined) this.ask(gate)
    else if (!canAsk) gate.deny(cannotAsk)
    else return true
    return false
  }

  private ask(question: HostQuestion): void {
    const fail = (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      if (question._tag === "Delegate") question.fail(message)
      else question.deny(message)
    }
    // Not waited for: what it answers comes as an event, and a cancel may come before.
    void (async () => this.questions?.(question))().catch(fail)
  }

  private async tell(event: ToolEvent, { progress, signal }: Round): Promise<void> {
    if (event._tag === "Delegate") {
      if (this.questions === undefined) answerEffect(event)
      else this.ask(event)
    } else if (event._tag === "Delta" && event.content !== "" && !signal.aborted) {
      await progress?.(event.content, ++this.told)
    } else if ("editedParams" in event && event.editedParams !== undefined) {
      this.edited = { params: event.editedParams }
    }
  }

  /** Its client waits for it no longer; what it puts out is in `tasks`. */
  private async background(): Promise<CallToolResult> {
    const tool = this.executor.agent(this.agentId).tool(this.name)
    const drained = this.drain()
    if (tool?.outputSchema === undefined) {
      return { content: [{ type: "text", text: `Running in background (task_id: ${this.callId})` }] }
    }
    await drained
    const task = this.executor.tasks.take(this.callId)
    if (task?.output === undefined) return errorResult("The task has ended, and its result is gone.")
    const { status, output, content } = task
    return toolResult({ status: "complete", content, output, isError: status !== "complete" })
  }

  private async drain(): Promise<void> {
    for await (const event of { [Symbol.asyncIterator]: () => this.events }) {
      if (event._tag === "AwaitingApproval") {
        if (this.questions === undefined) event.deny(askedTooLate)
        else this.ask(event)
      } else if (event._tag === "Delegate") await this.tell(event, idleRound)
    }
  }
}

const idleRound: Round = { signal: new AbortController().signal, progress: undefined, canAsk: false }
