/** Answers `tools/call`: a call ends with its request, asks and continues with the next request, or continues as a task. */
import { randomBytes } from "node:crypto"
import type {
  CallToolRequest,
  CallToolResult,
  ClientCapabilities,
  InputRequest,
  InputRequiredResult,
  RequestStateCodec,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server"
import type { Tool } from "../../model/tool.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { messageOf } from "../../text/message-of.ts"
import type { HostQuestion } from "../waiting-questions.ts"
import { answersOf, type ClientQuestion } from "./client-question.ts"
import { anyObject, ClientTasks, ownerOf, tasksExtension } from "./client-tasks.ts"
import { type CallEnd, type Round, ServedCall } from "./served-call.ts"
import { ServedTask, type TaskEnd } from "./served-task.ts"
import { nobodyAnswered, SuspendedCalls } from "./suspended-calls.ts"

type Sdk = typeof import("@modelcontextprotocol/server")

/** The state that a client returns with its answer: it can be read, but not changed. */
interface RequestState {
  readonly nonce: string
}

/** The client of a request, and how to communicate with it. */
export interface Caller {
  readonly server: Server
  readonly era: "legacy" | "modern"
}

export interface CallServerOptions {
  readonly agentId: string
  /** Milliseconds that an answer may take. */
  readonly answerTimeout: number
  readonly questions: ((question: HostQuestion) => unknown) | undefined
  readonly leavesGates: boolean
  readonly who: ((request: ServerContext) => string | undefined) | undefined
  /** When calls of a tool become tasks, for clients that declare them. Undefined: never, and clients do not learn of tasks. */
  readonly tasks: ((tool: Tool<unknown>) => TaskMode) | undefined
}

/**
 * When a call becomes a task: `always`, at once if its client accepts tasks; `required`, which refuses other clients; or
 * `after` some milliseconds. A call that runs in the background is a task unless the mode is `never`.
 */
export type TaskMode = "never" | "always" | "required" | { readonly after: number }

type Answer = CallToolResult | InputRequiredResult

/** A call, with what is kept from request to request. */
interface Carried {
  readonly call: ServedCall
  readonly mode: TaskMode
}

interface Waiting extends Carried {
  readonly name: string
  readonly question: ClientQuestion
  deny(reason: string): void
}

const maxWaiting = 1_000

/** For the model. */
const couldNotAnswer = (error: unknown): string => `This MCP client could not answer: ${messageOf(error)}`

/** The SDK's type of the envelope has no members. */
interface Envelope {
  readonly "io.modelcontextprotocol/clientCapabilities"?: ClientCapabilities
}

/** What the client of a request can do. */
const capabilitiesOf = (
  { server, era }: Caller,
  { mcpReq }: ServerContext,
): ClientCapabilities | undefined =>
  era === "modern"
    ? (mcpReq.envelope as Envelope | undefined)?.["io.modelcontextprotocol/clientCapabilities"]
    : server.getClientCapabilities()

const takesTasks = (caller: Caller, context: ServerContext): boolean =>
  caller.era === "modern" && capabilitiesOf(caller, context)?.extensions?.[tasksExtension] !== undefined

const progressOf = ({ mcpReq }: ServerContext): Round["progress"] => {
  const token = mcpReq._meta?.progressToken
  if (token === undefined) return undefined
  return async (message, progress) => {
    const params = { progressToken: token, progress, message }
    // The request's signal shows that a client has gone.
    await mcpReq.notify({ method: "notifications/progress", params }).catch(() => {})
  }
}

/** Aborted when the request is cancelled, and when its client disconnects: its stream closes then, unless it can be resumed. */
const signalOf = ({ mcpReq, http }: ServerContext): AbortSignal =>
  http?.req === undefined || http.closeSSE !== undefined
    ? mcpReq.signal
    : AbortSignal.any([mcpReq.signal, http.req.signal])

/** The calls of one server, which outlive the requests and connections that they came with. */
export class CallServer {
  readonly codec: RequestStateCodec<RequestState>
  private readonly sdk: Sdk
  private readonly executor: ToolExecutor
  private readonly options: CallServerOptions
  private readonly waiting: SuspendedCalls<Waiting>
  private readonly tasks: ClientTasks

  constructor(sdk: Sdk, executor: ToolExecutor, options: CallServerOptions) {
    this.sdk = sdk
    this.executor = executor
    this.options = options
    this.waiting = new SuspendedCalls({ ttl: options.answerTimeout, max: maxWaiting })
    this.tasks = new ClientTasks(sdk)
    this.codec = sdk.createRequestStateCodec<RequestState>({
      key: randomBytes(32),
      ttlSeconds: Math.ceil(options.answerTimeout / 1000),
      bind: ({ http }) => http?.authInfo?.clientId ?? "",
    })
  }

  /** Answers the calls of one server, and requests about their tasks. */
  serve(caller: Caller): void {
    const { server } = caller
    server.setRequestHandler("tools/call", (request, context) => this.answer(request, context, caller))
    if (this.options.tasks === undefined || caller.era === "legacy") return
    const { who } = this.options
    this.tasks.serve(server, (context) => takesTasks(caller, context), who)
  }

  /** The answer to one request of a call. */
  private async answer(
    { params: { name, arguments: params = {} } }: CallToolRequest,
    context: ServerContext,
    caller: Caller,
  ): Promise<Answer> {
    const state = context.mcpReq.requestState<RequestState>()
    if (state !== undefined) return this.resume(state, name, context, caller)
    const { agentId, questions, tasks, leavesGates } = this.options
    const tool = this.executor.agent(agentId).tool(name)
    if (tool === undefined) {
      const { reason = `Unknown tool "${name}"` } = await this.executor.decide({ agentId, name, params })
      throw new this.sdk.ProtocolError(this.sdk.ProtocolErrorCode.InvalidParams, reason)
    }
    const mode = (tool.background && tasks?.(tool)) || "never"
    const isTaker = takesTasks(caller, context)
    if (mode === "required" && !isTaker) throw this.tasks.missingCapability()
    const { sessionId, mcpReq } = context
    const { traceparent } = mcpReq._meta ?? {}
    const meta = {
      mcp: { ...(sessionId !== undefined && { sessionId }), ...mcpReq._meta },
      ...(traceparent !== undefined && { traceparent }),
    }
    const background = isTaker && (mode === "always" || mode === "required")
    const given = { name, params, background, agentId, meta, questions, leavesGates }
    const call = new ServedCall(this.executor, given)
    return this.proceed({ call, mode }, context, caller)
  }

  /** Answers a request with the answer to a call's question. */
  private async resume(
    state: RequestState,
    name: string,
    context: ServerContext,
    caller: Caller,
  ): Promise<Answer> {
    const waiting = this.waiting.take(state.nonce)
    if (waiting?.name !== name) {
      waiting?.deny("Its answer came with a request for another tool.")
      const { ProtocolError, ProtocolErrorCode } = this.sdk
      const reason = { reason: "invalid_request_state" }
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", reason)
    }
    let left: ClientQuestion | undefined
    try {
      left = waiting.question.answer(context.mcpReq.inputResponses, this.options.who?.(context))
    } catch (error) {
      // No later request could answer it.
      waiting.question.refuse(couldNotAnswer(error))
    }
    return left === undefined
      ? this.proceed(waiting, context, caller)
      : this.ask(waiting, left, context, caller)
  }

  private async proceed(carried: Carried, context: ServerContext, caller: Caller): Promise<Answer> {
    const { call, mode } = carried
    const capabilities = capabilitiesOf(caller, context)
    const takesTask = mode !== "never" && takesTasks(caller, context) && this.tasks.hasRoom
    const stopMoving = takesTask && typeof mode === "object" ? this.moveAfter(mode.after, call) : undefined
    const round: Round = {
      signal: signalOf(context),
      progress: progressOf(context),
      capabilities,
      takesTask,
    }
    let stop = await call.run(round).finally(stopMoving)
    while (stop._tag === "Asks" && caller.era === "legacy") {
      await this.askWithin(call, stop.question, round, context)
      stop = await call.run(round)
    }
    if (stop._tag === "Asks") return this.ask(carried, stop.question, context, caller)
    if (stop._tag === "Task") return this.asTask(call, capabilities, context, caller)
    const error = this.protocolError(stop, caller)
    if (error !== undefined) throw error
    return this.resultOf(stop, call, caller)
  }

  /** Ends the request with the call's question. */
  private async ask(
    { call, mode }: Carried,
    question: ClientQuestion,
    context: ServerContext,
    caller: Caller,
  ): Promise<Answer> {
    const deny = (reason: string) => call.refuse(question, reason)
    const nonce = this.waiting.add({ name: call.name, call, mode, question, deny })
    if (nonce === undefined) return this.proceed({ call, mode }, context, caller)
    return this.sdk.inputRequired({
      inputRequests: question.requests,
      requestState: await this.codec.mint({ nonce }, context),
    })
  }

  /** In the revision 2025-11-25 the request stays open while the user is asked. */
  private async askWithin(
    call: ServedCall,
    question: ClientQuestion,
    round: Round,
    context: ServerContext,
  ): Promise<void> {
    const { answerTimeout: timeout, who } = this.options
    const { mcpReq } = context
    const failed = new AbortController()
    const signal = AbortSignal.any([round.signal, failed.signal])
    const send = (request: InputRequest) => mcpReq.send(request, anyObject, { signal, timeout })
    const goOn = call.remind(round)
    try {
      let left: ClientQuestion | undefined = question
      while (left !== undefined) left = left.answer(await answersOf(left.requests, send), who?.(context))
    } catch (error) {
      // The other open questions are to be closed.
      failed.abort()
      const { SdkError, SdkErrorCode } = this.sdk
      const isLate = error instanceof SdkError && error.code === SdkErrorCode.RequestTimeout
      const reason = isLate ? nobodyAnswered(timeout) : couldNotAnswer(error)
      // The end of the request cancels its call.
      if (!round.signal.aborted) question.refuse(reason)
    } finally {
      goOn()
    }
  }

  /** Ends the request with a task. */
  private asTask(
    call: ServedCall,
    capabilities: ClientCapabilities | undefined,
    context: ServerContext,
    caller: Caller,
  ): Answer {
    const { executor, tasks } = this
    const { answerTimeout } = this.options
    const endOf = (end: CallEnd): TaskEnd => {
      if (end.status === "cancelled") return { status: "cancelled" }
      const { code, message } = this.protocolError(end, caller) ?? {}
      if (code !== undefined) return { status: "failed", error: { code, message: message! } }
      return { status: "completed", result: this.resultOf(end, call, caller) }
    }
    const onEnd = () => tasks.ended(call.callId)
    const task = new ServedTask(call, { executor, capabilities, answerTimeout, endOf, onEnd })
    return tasks.add(task, ownerOf(context)) as never
  }

  /** Moves a call that still runs after this time to the background. */
  private moveAfter(milliseconds: number, call: ServedCall): () => void {
    const timer = setTimeout(() => this.executor.toBackground(call.callId), milliseconds)
    return () => clearTimeout(timer)
  }

  private resultOf({ result }: CallEnd, { name }: ServedCall, { server }: Caller): CallToolResult {
    const schema = this.executor.agent(this.options.agentId).tool(name)?.outputSchema
    return server.projectCallToolResult(result, schema)
  }

  /** For the client, not for the model: a protocol error that the tool threw, or a capability that the client lacks. */
  private protocolError({ cause, missing }: CallEnd, { era }: Caller) {
    if (cause instanceof this.sdk.ProtocolError) return cause
    if (missing === undefined || era === "legacy") return undefined
    return new this.sdk.MissingRequiredClientCapabilityError({ requiredCapabilities: missing })
  }
}
