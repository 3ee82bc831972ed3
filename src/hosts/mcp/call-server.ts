/** Answers `tools/call`: a call ends with its request, or asks and goes on with the next one. */
import { randomBytes } from "node:crypto"
import type {
  CallToolRequest,
  CallToolResult,
  ClientCapabilities,
  InputRequiredResult,
  RequestStateCodec,
  Server,
  ServerContext,
} from "@modelcontextprotocol/server"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { AwaitingApprovalEvent } from "../../pipeline/model/event.ts"
import type { HostQuestion } from "../waiting-questions.ts"
import { answerGate, questionForm } from "./question.ts"
import { type Round, ServedCall, type Stop } from "./served-call.ts"
import { SuspendedCalls } from "./suspended-calls.ts"

type Sdk = typeof import("@modelcontextprotocol/server")

/** What a client brings back with its answer. It can read it, and not change it. */
interface RequestState {
  readonly nonce: string
}

/** Whom a request comes from, and how it is spoken with. */
export interface Caller {
  readonly server: Server
  readonly era: "legacy" | "modern"
}

export interface CallServerOptions {
  readonly agentId: string
  /** Milliseconds that an answer may take. */
  readonly answerTimeout: number
  readonly questions: ((question: HostQuestion) => unknown) | undefined
}

interface Waiting {
  readonly name: string
  readonly call: ServedCall
  readonly gate: AwaitingApprovalEvent
  deny(reason: string): void
}

const maxWaiting = 1_000
const questionKey = "approval"

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

const showsForms = ({ elicitation }: ClientCapabilities = {}): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)

const progressOf = ({ mcpReq }: ServerContext): Round["progress"] => {
  const token = mcpReq._meta?.progressToken
  if (token === undefined) return undefined
  return async (message, progress) => {
    const params = { progressToken: token, progress, message }
    // A client that has gone is known by the request's signal.
    await mcpReq.notify({ method: "notifications/progress", params }).catch(() => {})
  }
}

/** The calls of one server: they outlive the requests, and the connections, that they came with. */
export class CallServer {
  readonly codec: RequestStateCodec<RequestState>
  private readonly sdk: Sdk
  private readonly executor: ToolExecutor
  private readonly options: CallServerOptions
  private readonly waiting: SuspendedCalls<Waiting>

  constructor(sdk: Sdk, executor: ToolExecutor, options: CallServerOptions) {
    this.sdk = sdk
    this.executor = executor
    this.options = options
    this.waiting = new SuspendedCalls({ ttl: options.answerTimeout, max: maxWaiting })
    this.codec = sdk.createRequestStateCodec<RequestState>({
      key: randomBytes(32),
      ttlSeconds: Math.ceil(options.answerTimeout / 1000),
      bind: ({ http }) => http?.authInfo?.clientId ?? "",
    })
  }

  /** The answer to one request of a call. */
  async answer(
    { params: { name, arguments: params = {} } }: CallToolRequest,
    context: ServerContext,
    caller: Caller,
  ): Promise<CallToolResult | InputRequiredResult> {
    const state = context.mcpReq.requestState<RequestState>()
    if (state !== undefined) return this.resume(state, name, context, caller)
    const { agentId, questions } = this.options
    if (this.executor.agent(agentId).tool(name) === undefined) {
      const { reason = `Unknown tool "${name}"` } = await this.executor.decide({ agentId, name, params })
      throw new this.sdk.ProtocolError(this.sdk.ProtocolErrorCode.InvalidParams, reason)
    }
    const { sessionId, mcpReq } = context
    const meta = { mcp: { ...(sessionId !== undefined && { sessionId }), ...mcpReq._meta } }
    const call = new ServedCall(this.executor, { name, params, agentId, meta, questions })
    return this.proceed(call, context, caller)
  }

  /** The request that brings the answer to a call's question. */
  private async resume(
    state: RequestState,
    name: string,
    context: ServerContext,
    caller: Caller,
  ): Promise<CallToolResult | InputRequiredResult> {
    const waiting = this.waiting.take(state.nonce)
    if (waiting?.name !== name) {
      waiting?.deny("Its answer came with a request for another tool.")
      const { ProtocolError, ProtocolErrorCode } = this.sdk
      const reason = { reason: "invalid_request_state" }
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", reason)
    }
    const { call, gate } = waiting
    const answer = context.mcpReq.inputResponses?.[questionKey]
    const fault = answer === undefined ? "The question was not answered." : answerGate(gate, answer)
    if (fault !== undefined) return this.ask(call, gate, context, caller, fault)
    return this.proceed(call, context, caller)
  }

  private async proceed(
    call: ServedCall,
    context: ServerContext,
    caller: Caller,
  ): Promise<CallToolResult | InputRequiredResult> {
    const stop: Stop = await call.run({
      signal: context.mcpReq.signal,
      progress: progressOf(context),
      canAsk: showsForms(capabilitiesOf(caller, context)),
    })
    if (stop._tag === "Asks") return this.ask(call, stop.gate, context, caller)
    const schema = this.executor.agent(this.options.agentId).tool(call.name)?.outputSchema
    return caller.server.projectCallToolResult(stop.result, schema)
  }

  /** Ends the request with the call's question. */
  private async ask(
    call: ServedCall,
    gate: AwaitingApprovalEvent,
    context: ServerContext,
    caller: Caller,
    note?: string,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { name } = call
    const nonce = this.waiting.add({ name, call, gate, deny: (reason) => call.deny(reason) })
    if (nonce === undefined) return this.proceed(call, context, caller)
    if (caller.era === "legacy") {
      // There the request stays open while its user is asked.
      const abandon = () => this.waiting.take(nonce)?.call.abandon()
      context.mcpReq.signal.addEventListener("abort", abandon, { once: true })
    }
    const tool = this.executor.agent(this.options.agentId).tool(name)
    const question = { method: "elicitation/create" as const, params: questionForm(gate, tool, note) }
    return this.sdk.inputRequired({
      inputRequests: { [questionKey]: question },
      requestState: await this.codec.mint({ nonce }, context),
    })
  }
}
