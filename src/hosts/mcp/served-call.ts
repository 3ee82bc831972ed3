/**
 * One call of an MCP client, over as many requests as it needs: it stops at every gate, and continues with the request that
 * contains the answer.
 */
import { randomUUID } from "node:crypto"
import type { CallToolResult, ClientCapabilities } from "@modelcontextprotocol/server"
import {
  type AwaitingApprovalEvent,
  type DelegateEvent,
  type FinalStatus,
  type ToolEvent,
  type ToolResult,
  unattended,
} from "../../model/event.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { resolveName } from "../../resolve/definition.ts"
import { rememberedChoices } from "../terminal/remember-menu.ts"
import type { HostQuestion } from "../waiting-questions.ts"
import { type ClientQuestion, gateQuestion, isInput, questionOfInput, showsForms } from "./client-question.ts"
import { ProgressReports } from "./progress-reports.ts"
import { type AskedGate, offered } from "./question.ts"
import { errorResult, toolResult } from "./tool-result.ts"

/** The request that currently serves a call. */
export interface Round {
  readonly signal: AbortSignal
  /**
   * Reports what the call streams, or that it waits. Resolves when there is room, and does not reject. Undefined if the
   * client did not request progress.
   */
  readonly progress: ((content: string, count: number) => Promise<void>) | undefined
  /** What the client can be asked. */
  readonly capabilities: ClientCapabilities | undefined
  /** Whether the client accepts a task if the call continues in the background. */
  readonly takesTask: boolean
}

/** Why a round has ended. */
export type Stop =
  | { readonly _tag: "Asks"; readonly question: ClientQuestion }
  /** The call continues in the background, as a task of the client. */
  | { readonly _tag: "Task" }
  | CallEnd

/** How a call has ended. */
export interface CallEnd {
  readonly _tag: "Ended"
  readonly result: CallToolResult
  readonly status: FinalStatus | "background"
  /** The error of a failed call. */
  readonly cause?: unknown
  /** The capabilities whose absence made the call fail. */
  readonly missing?: ClientCapabilities | undefined
}

export interface ServedCallOptions {
  readonly name: string
  readonly params: unknown
  /** Whether the call runs in the background, regardless of its parameters. */
  readonly background: boolean
  readonly agentId: string
  readonly meta: Readonly<Record<string, unknown>>
  /** Answers instead of the client. */
  readonly questions: ((question: HostQuestion) => unknown) | undefined
  /** Whether another host answers the gates that the client cannot be asked about. */
  readonly leavesGates: boolean
}

/** For the model, if nobody can be asked. No rule can pass a gate that needs a person. */
const cannotAsk = ({ name, person }: AwaitingApprovalEvent): string => {
  const ways = [
    ...(person
      ? []
      : [`allow such calls with a rule of the server (\`--allow '${name}=PATTERN'\`, or \`filters\`)`]),
    "answer on a page (`stepline mcp --ui`)",
    "use a client that shows forms",
  ]
  return `This call needs its user's approval, and this MCP client cannot ask for it: it does not declare elicitation of forms. The user can ${ways.slice(0, -1).join(", ")}, or ${ways.at(-1)}.`
}

/** Milliseconds between signs of life while a call waits: many clients give up on a request after a minute of silence. */
const beat = 15_000

const waits = "Waiting for an answer"

const askedTooLate = "It runs in the background, where its MCP client can no longer be asked."

const answerEffect = (event: DelegateEvent): void => {
  const { _tag } = event.effect
  if (_tag.startsWith("Ide")) event.succeed()
  // An effect that the client cannot answer has already failed, with a better reason.
  else event.fail(_tag === "McpInput" ? askedTooLate : `The MCP server cannot answer ${_tag}`)
}

/** One call of a client. */
export class ServedCall {
  readonly callId = randomUUID()
  readonly name: string
  private readonly executor: ToolExecutor
  private readonly events: AsyncGenerator<ToolEvent, ToolResult, undefined>
  private readonly questions: ServedCallOptions["questions"]
  private readonly leavesGates: boolean
  private readonly agentId: string
  private edited: { readonly params: unknown } | undefined
  private missing: ClientCapabilities | undefined
  /** The number of progress reports in all rounds: progress has to increase. */
  private told = 0

  constructor(executor: ToolExecutor, options: ServedCallOptions) {
    const { name, params, background, agentId, meta, questions, leavesGates } = options
    this.executor = executor
    this.name = name
    this.questions = questions
    this.leavesGates = leavesGates
    this.agentId = agentId
    const { callId } = this
    // A separate lane: clients send ordered calls one by one, and a waiting call must not hold up others.
    this.events = executor.runEvents({ callId, name, params, background, agentId, lane: callId, meta })
  }

  /** Ends a question without the client, and lets the call end. */
  refuse(question: ClientQuestion, reason: string): void {
    question.refuse(reason)
    void this.drain()
  }

  /** Reports now and then that the call waits; returns a function that stops that. */
  remind({ progress }: Round): () => void {
    if (progress === undefined) return () => {}
    const timer = setInterval(() => void progress(waits, ++this.told), beat)
    timer.unref()
    return () => clearInterval(timer)
  }

  /** Runs the call until it asks, or has ended. */
  async run(round: Round): Promise<Stop> {
    const cancel = () => void this.executor.cancelCall(this.callId)
    const { progress } = round
    const reports = progress && new ProgressReports((content) => progress(content, ++this.told))
    round.signal.addEventListener("abort", cancel)
    try {
      if (round.signal.aborted) cancel()
      return await this.read(round, reports)
    } finally {
      if (!round.signal.aborted) await reports?.flush()
      round.signal.removeEventListener("abort", cancel)
    }
  }

  private async read(round: Round, reports: ProgressReports | undefined): Promise<Stop> {
    let goOn = () => {}
    for (;;) {
      const { done, value } = await this.events.next().finally(goOn)
      if (done) return this.ended(value)
      const question = this.questionOf(value, round)
      if (question !== undefined) return { _tag: "Asks", question }
      if (value._tag === "BackgroundStarted" && value.callId === this.callId)
        return round.takesTask ? { _tag: "Task" } : this.background()
      this.tell(value)
      if (value._tag === "Delta" && value.content !== "" && !round.signal.aborted)
        await reports?.add(value.content)
      // Another host can be asked.
      if (value._tag === "AwaitingApproval" || value._tag === "Delegate") goOn = this.remind(round)
    }
  }

  /** The question for the client, if the event has one. */
  private questionOf(event: ToolEvent, { capabilities }: Round): ClientQuestion | undefined {
    if (this.questions !== undefined) return undefined
    if (event._tag === "Delegate" && isInput(event)) {
      const question = questionOfInput(event, capabilities)
      if (!("missing" in question)) return question
      this.missing = question.missing
    }
    if (event._tag !== "AwaitingApproval") return undefined
    if (showsForms(capabilities)) return gateQuestion(this.asked(event))
    if (!this.leavesGates) event.deny(cannotAsk(event), unattended)
    return undefined
  }

  private asked(gate: AwaitingApprovalEvent): AskedGate {
    const { executor } = this
    const tool = executor.agent(this.agentId).tool(gate.name)
    const always = offered(rememberedChoices(executor, gate.callId, tool ?? gate))
    return { executor, gate, tool, mayEdit: this.name !== resolveName, always }
  }

  private ask(question: HostQuestion): void {
    const fail = (error: unknown) => {
      const message = error instanceof Error ? error.message : String(error)
      if (question._tag === "Delegate") question.fail(message)
      else question.deny(message, unattended)
    }
    // Not awaited: the answer arrives as an event, and a cancel can come first.
    void (async () => this.questions?.(question))().catch(fail)
  }

  private tell(event: ToolEvent): void {
    if (event._tag === "AwaitingApproval") {
      if (this.questions !== undefined) this.ask(event)
    } else if (event._tag === "Delegate") {
      if (this.questions === undefined) answerEffect(event)
      else this.ask(event)
    } else if ("editedParams" in event && event.editedParams !== undefined && event.callId === this.callId) {
      this.edited = { params: event.editedParams }
    }
  }

  private ended(end: ToolResult): CallEnd {
    const task = end.status === "background" ? this.executor.tasks.get(this.callId) : undefined
    if (task?.output === undefined) {
      const { status, cause } = end
      const result = toolResult(this.bare(end), this.edited?.params)
      return { _tag: "Ended", result, status, cause, ...this.lack(status) }
    }
    const { output, content, cause, editedParams, bounded } = task
    const status = task.status as FinalStatus
    const result = this.bare({
      status,
      content,
      output,
      isError: status !== "complete",
      ...(bounded && { bounded }),
    })
    return { _tag: "Ended", result: toolResult(result, editedParams), status, cause, ...this.lack(status) }
  }

  /** Removes the structured data from a truncated result, because it can be as large, unless the tool promises it. */
  private bare(result: ToolResult): ToolResult {
    if (result.bounded === undefined || result.output.structured === undefined) return result
    if (this.executor.agent(this.agentId).tool(this.name)?.outputSchema !== undefined) return result
    const { structured: _, ...output } = result.output
    return { ...result, output }
  }

  private lack(status: CallEnd["status"]): Pick<CallEnd, "missing"> {
    return { missing: status === "error" ? this.missing : undefined }
  }

  /** The result for a client that no longer waits; the output will be in `tasks`. */
  private async background(): Promise<CallEnd> {
    const status = "background"
    const tool = this.executor.agent(this.agentId).tool(this.name)
    const drained = this.drain()
    if (tool?.outputSchema === undefined) {
      const text = `Running in background (task_id: ${this.callId})`
      return { _tag: "Ended", result: { content: [{ type: "text", text }] }, status }
    }
    await drained
    const task = this.executor.tasks.take(this.callId)
    if (task?.output === undefined) {
      return { _tag: "Ended", result: errorResult("The task has ended, and its result is gone."), status }
    }
    const { output, content } = task
    const isError = task.status !== "complete"
    return { _tag: "Ended", result: toolResult({ status: "complete", content, output, isError }), status }
  }

  private async drain(): Promise<void> {
    for await (const event of { [Symbol.asyncIterator]: () => this.events }) {
      if (event._tag === "AwaitingApproval") {
        if (this.questions === undefined && !this.leavesGates) event.deny(askedTooLate, unattended)
        else this.ask(event)
      } else if (event._tag === "Delegate") this.tell(event)
    }
  }
}
