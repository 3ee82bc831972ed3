/**
 * A call that continues as a task of its client (the extension `io.modelcontextprotocol/tasks`). The client polls it,
 * answers its questions, or cancels it, each with a separate request.
 */
import type { ClientCapabilities, InputRequest } from "@modelcontextprotocol/server"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { messageOf } from "../../text/message-of.ts"
import type { ClientQuestion, InputResponses } from "./client-question.ts"
import type { CallEnd, Round, ServedCall } from "./served-call.ts"
import { errorResult } from "./tool-result.ts"

/** An error of the protocol, as a failed task reports it. */
export interface TaskError {
  readonly code: number
  readonly message: string
}

/** The end of a task, in the protocol's terms. */
export interface TaskEnd {
  readonly status: "completed" | "failed" | "cancelled"
  readonly result?: unknown
  readonly error?: TaskError
}

export interface ServedTaskOptions {
  readonly executor: ToolExecutor
  readonly capabilities: ClientCapabilities | undefined
  /** Milliseconds within which an answer must arrive. */
  readonly answerTimeout: number
  /** Converts the end of the call for the client. */
  readonly endOf: (end: CallEnd) => TaskEnd
  readonly onEnd: () => void
}

interface OpenQuestion {
  readonly question: ClientQuestion
  goOn(): void
}

/** For the model, if nobody answers a task. */
const unanswered = "Nobody answered the question of this task in time. Call it again if it is still needed."

/** One task. */
export class ServedTask {
  readonly taskId: string
  private readonly call: ServedCall
  private readonly options: ServedTaskOptions
  private readonly createdAt = new Date().toISOString()
  private lastUpdatedAt = this.createdAt
  private open: OpenQuestion | undefined
  private end: TaskEnd | undefined
  /** The keys of requests on the wire: a task never uses a key twice. */
  private readonly wireKeys = new WeakMap<InputRequest, string>()
  private asked = 0

  constructor(call: ServedCall, options: ServedTaskOptions) {
    this.taskId = call.callId
    this.call = call
    this.options = options
    void this.drive()
  }

  /** The description of the task for the client. */
  describe(): Record<string, unknown> {
    const { taskId, createdAt, lastUpdatedAt, open, end } = this
    const times = { createdAt, lastUpdatedAt }
    if (end !== undefined) return { taskId, ...times, ...end }
    if (open === undefined) return { taskId, status: "working", ...times }
    return { taskId, status: "input_required", ...times, inputRequests: this.named(open.question) }
  }

  /** Takes the client's answers. Ignores those without an open question. */
  answer(responses: InputResponses, by: string | undefined): void {
    const { open } = this
    if (open === undefined) return
    const own: Record<string, unknown> = {}
    for (const [key, request] of Object.entries(open.question.requests)) {
      const name = this.wireKeys.get(request)
      if (name !== undefined && Object.hasOwn(responses, name)) own[key] = responses[name]
    }
    // Questions without an answer stay open.
    if (Object.keys(own).length === 0) return
    this.touch()
    const rest = open.question.answer(own, by)
    if (rest === undefined) open.goOn()
    else this.open = { ...open, question: rest }
  }

  cancel(): void {
    this.options.executor.cancelCall(this.taskId)
  }

  private async drive(): Promise<void> {
    const { capabilities, endOf, onEnd } = this.options
    const round: Round = {
      signal: new AbortController().signal,
      progress: undefined,
      capabilities,
      takesTask: true,
    }
    try {
      let stop = await this.call.run(round)
      while (stop._tag !== "Ended") {
        if (stop._tag === "Asks") await this.ask(stop.question)
        stop = await this.call.run(round)
      }
      this.end = endOf(stop)
    } catch (error) {
      this.end = { status: "completed", result: errorResult(messageOf(error)) }
    }
    this.touch()
    onEnd()
  }

  /** Resolves once the question is answered or refused, or the call has ended. */
  private async ask(question: ClientQuestion): Promise<void> {
    const over = new AbortController()
    const answered = new Promise<void>((resolve) => {
      this.open = { question, goOn: resolve }
    })
    this.touch()
    const refuse = () => {
      this.open?.question.refuse(unanswered)
      this.open?.goOn()
    }
    const timer = setTimeout(refuse, this.options.answerTimeout)
    timer.unref()
    await Promise.race([answered, this.options.executor.tasks.wait(this.taskId, { signal: over.signal })])
    clearTimeout(timer)
    over.abort()
    this.open = undefined
    this.touch()
  }

  private named({ requests }: ClientQuestion): Record<string, InputRequest> {
    const named = Object.entries(requests).map(([key, request]) => {
      const name = this.wireKeys.get(request) ?? `${key}-${++this.asked}`
      this.wireKeys.set(request, name)
      return [name, request] as const
    })
    return Object.fromEntries(named)
  }

  private touch(): void {
    this.lastUpdatedAt = new Date().toISOString()
  }
}
