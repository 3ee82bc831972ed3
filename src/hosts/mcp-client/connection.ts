/**
 * The connection to one MCP server. After a loss the next call connects again. A call during which the connection is lost
 * fails; it is not sent again, because its effect is unknown.
 */

import { AsyncLocalStorage } from "node:async_hooks"
import type {
  CallToolResult,
  Client,
  ClientOptions,
  ElicitRequest,
  ElicitResult,
  Tool as McpTool,
  Progress,
  ServerCapabilities,
  Transport,
  VersionNegotiationOptions,
} from "@modelcontextprotocol/client"
import type { HandlerContext } from "../../model/handler.ts"
import { longestTimer } from "../../pipeline/time/longest-timer.ts"
import { messageOf } from "../../text/message-of.ts"
import { version } from "../../version.ts"
import { loadPeer } from "../load-peer.ts"
import { readableMessage } from "./remote-result.ts"
import { askHost } from "./server-question.ts"
import type { Sdk, ServerTool } from "./server-tool.ts"

/** How a server is reached, and the callbacks. */
export interface ConnectionOptions {
  readonly name: string
  /** Makes a new transport for each connection. */
  readonly transport: () => Transport | Promise<Transport>
  readonly mode: VersionNegotiationOptions["mode"]
  readonly onTools: (tools: ReadonlyArray<McpTool>, capabilities: ServerCapabilities) => void
  readonly onError: (error: Error) => void
  /** Awaited before the first `onTools`. */
  readonly after: Promise<unknown> | undefined
}

/** The executor limits the time of a call instead. In milliseconds. */
const noTimeout = longestTimer

const clientInfo = { name: "stepline", version }

const loadSdk = (): Promise<Sdk> =>
  loadPeer("@modelcontextprotocol/client", "2", () => import("@modelcontextprotocol/client"))

/** Progress that comes after its call has ended is not an error. */
const isLate = ({ message }: Error): boolean => message.includes("progress notification for an unknown token")

/** The maximum size of a message in bytes, if a larger one ended the connection. */
const limitIn = (error: Error | undefined): string | undefined =>
  /exceeded maximum size of (\d+) bytes/.exec(error?.message ?? "")?.[1]

/** `fetch` explains a failed request only in the cause. */
const reasonOf = (error: unknown): string =>
  error instanceof TypeError && error.cause instanceof Error ? messageOf(error.cause) : messageOf(error)

/** The message of a progress, or the numbers. */
const progressText = ({ progress, total, message }: Progress): string => {
  if (message !== undefined && message !== "") return message
  return `${progress}${total === undefined ? "" : `/${total}`}\n`
}

/** A connection that is opened when it is needed. */
export class Connection implements AsyncDisposable {
  private readonly options: ConnectionOptions
  private client: Promise<Client> | undefined
  private latest: Client | undefined
  private sdk: Sdk | undefined
  /** What ended the latest connection, if known. */
  private fault: Error | undefined
  private closed = false
  /** The running calls, in the order of their start. */
  private readonly calls = new Set<HandlerContext>()
  private readonly current = new AsyncLocalStorage<HandlerContext>()
  /** Of running tasks of the server, by their ids. */
  private readonly statuses = new Map<string, (message: string) => void>()

  constructor(options: ConnectionOptions) {
    this.options = options
  }

  /** Connects, unless there is a connection. Rejects with a sentence that names the server. */
  open(): Promise<Client> {
    if (this.closed) return Promise.reject(new Error(`The MCP server ${this.options.name} was disconnected`))
    if (this.client !== undefined) return this.client
    const connecting = this.connect(() => this.lose(connecting))
    this.client = connecting
    connecting.catch(() => this.lose(connecting))
    return connecting
  }

  /** Calls a tool of the server. Rejects if there is no answer, whatever the reason. */
  async call(
    tool: ServerTool,
    params: Readonly<Record<string, unknown>>,
    context: HandlerContext,
  ): Promise<CallToolResult> {
    const { signal, delta, traceParent } = context
    const opening = this.open()
    const client = await opening
    signal.throwIfAborted()
    // Nobody listens after the call's end.
    const tell = (text: string) => void delta(text).catch(() => {})
    const options = {
      signal,
      timeout: noTimeout,
      onprogress: (progress: Progress) => tell(progressText(progress)),
    }
    const taskStatus = (taskId: string) => {
      this.statuses.set(taskId, tell)
      return () => void this.statuses.delete(taskId)
    }
    const about = traceParent === undefined ? {} : { _meta: { traceparent: traceParent } }
    this.calls.add(context)
    try {
      return await this.current.run(context, () =>
        tool.send({ client, sdk: this.sdk!, params, about, options, context, taskStatus }),
      )
    } catch (error) {
      if (signal.aborted) throw error
      if (this.isSessionGone(error)) {
        this.lose(opening)
        void client.close().catch(() => {})
      }
      throw new Error(this.failure(error, this.client !== opening), { cause: error })
    } finally {
      this.calls.delete(context)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.closed = true
    const { latest } = this
    this.client = undefined
    // Also a connection that a silent server has not opened yet.
    await latest?.close()
  }

  /**
   * Over HTTP a question comes with the answer to its call. Elsewhere it names no call: the latest one asks, unless the calls belong to
   * several executors, and so perhaps to several people.
   */
  private asking(): HandlerContext | undefined {
    // A cancelled call stays until its server answers.
    const calls = [...this.calls].filter(({ signal }) => !signal.aborted)
    const own = this.current.getStore()
    if (own !== undefined && calls.includes(own)) return own
    const latest = calls.at(-1)
    return calls.every(({ onShutdown }) => onShutdown === latest?.onShutdown) ? latest : undefined
  }

  private async elicit({ params }: ElicitRequest): Promise<ElicitResult> {
    const { name, onError } = this.options
    const call = this.asking()
    // The client refuses other modes, which it does not declare.
    if (call !== undefined && params.mode !== "url") return askHost(name, params, call)
    onError(new Error(`The MCP server ${name} asked a question that belongs to no call: ${params.message}`))
    return { action: "cancel" }
  }

  private lose(connection: Promise<Client>): void {
    if (this.client === connection) this.client = undefined
  }

  /** A server over HTTP that has forgotten the session answers 404 each time, and does not close the connection. */
  private isSessionGone(error: unknown): boolean {
    const { sdk } = this
    return sdk !== undefined && error instanceof sdk.SdkHttpError && error.status === 404
  }

  private failure(error: unknown, isLost: boolean): string {
    const { name } = this.options
    const limit = limitIn(this.fault)
    if (isLost && limit !== undefined)
      return `The MCP server ${name} sent more than the ${limit} bytes that an answer may have. The call may have taken effect: ask for less of it, such as for a part.`
    if (error instanceof Error && error.message.startsWith("Invalid result for "))
      return `The MCP server ${name} sent an answer that is no result of a tool. The call may have taken effect: find out before you call it again.`
    return isLost
      ? `The connection to the MCP server ${name} was lost during this call, so that nobody knows whether it took effect: find out before you call it again. (${reasonOf(error)})`
      : reasonOf(error)
  }

  private async connect(onLost: () => void): Promise<Client> {
    const { name, transport, mode, onTools, onError, after } = this.options
    const sdk = await loadSdk()
    this.sdk = sdk
    // A list that the server announces before its turn has come waits too.
    let listed: ReadonlyArray<McpTool> = []
    let isReady = false
    const sync = () => isReady && onTools(listed, client.getServerCapabilities() ?? {})
    const options: ClientOptions = {
      capabilities: { elicitation: { form: {} } },
      versionNegotiation: { mode },
      listChanged: {
        tools: {
          onChanged: (error, tools) => {
            if (tools === null) return error && onError(error)
            listed = tools
            sync()
          },
        },
      },
    }
    const client = new sdk.Client(clientInfo, options)
    client.fallbackNotificationHandler = async ({ params }) => {
      const { taskId, statusMessage } = Object(params)
      if (typeof statusMessage === "string") this.statuses.get(taskId)?.(`${statusMessage}\n`)
    }
    client.setRequestHandler("elicitation/create", (request) => this.elicit(request))
    this.latest = client
    this.fault = undefined
    client.onerror = (error) => {
      // The failure that it causes is reported.
      if (limitIn(error) !== undefined) this.fault = error
      else if (!isLate(error)) onError(error)
    }
    client.onclose = onLost
    try {
      const connected = await transport()
      await client.connect(connected)
      const { onmessage } = connected
      connected.onmessage = (message, extra) => onmessage?.(readableMessage(message), extra)
      listed = (await client.listTools()).tools
      await after
      isReady = true
      sync()
    } catch (cause) {
      this.latest = undefined
      await client.close().catch(() => {})
      throw new Error(`The MCP server ${name} cannot be reached: ${reasonOf(cause)}`, { cause })
    }
    return client
  }
}
