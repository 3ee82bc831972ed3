/** An executor as an MCP server: a factory of SDK servers, one a connection or a request, that share the executor's calls. */

import type { McpRequestContext, Server } from "@modelcontextprotocol/server"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { toMillis } from "../../pipeline/model/duration.ts"
import type { DurationInput } from "../../pipeline/model/step.ts"
import { longestTimer } from "../../pipeline/schedule/longest-timer.ts"
import type { HostQuestion } from "../waiting-questions.ts"
import { CallServer } from "./call-server.ts"
import { loadServerSdk } from "./load-sdk.ts"
import { toolList } from "./tool-list.ts"

/** How an executor is served. */
export interface McpServerOptions {
  /** What clients are told that they speak with. */
  readonly name: string
  readonly version: string
  /** How its tools are meant to be used, for the client's model. */
  readonly instructions?: string
  /** Whose tools, tasks and pending actions are served. Default `"main"`. */
  readonly agentId?: string
  /**
   * Answers gates, and effects that no `delegates` answer, in place of the client. Default: gates are put to the client's user,
   * Ide effects succeed with nothing, others fail.
   */
  readonly questions?: (question: HostQuestion) => unknown
  /** How long an answer of the client's user may take. Default 10 minutes. */
  readonly answerTimeout?: DurationInput
  /** Adds to every server that is built, before it is connected: prompts, resources, completion, logging. */
  readonly configure?: (server: Server, context: McpRequestContext) => void | Promise<void>
}

/** Makes a server for one connection, or one request. What lasts longer is shared by all of them. */
export interface McpBuild {
  (context: McpRequestContext): Promise<Server>
  /** Calls the listener whenever the tools have changed, until the function that it gives is called. */
  readonly onToolsChange: (listener: () => void) => () => void
}

const listChanged = "notifications/tools/list_changed"

/** Questions that one call may ask on one connection. */
const maxRounds = 100

/**
 * Serves the tools of an executor to MCP clients; `serveMcpStdio` and `serveMcpHttp` take what it builds. Needs the package
 * `@modelcontextprotocol/server`, loaded when the first client comes.
 *
 * @example
 * const { build } = mcpServer(executor, { name: "notes", version: "1.0.0" })
 * await serveMcpStdio(build)
 */
export const mcpServer = (
  executor: ToolExecutor,
  options: McpServerOptions,
): { readonly build: McpBuild } => {
  const { name, version, instructions, agentId = "main", questions, configure } = options
  const answerTimeout = Math.min(toMillis("answerTimeout", options.answerTimeout, "10 minutes"), longestTimer)
  const agent = executor.agent(agentId)
  let calls: CallServer | undefined
  const make = async (context: McpRequestContext): Promise<Server> => {
    const sdk = await loadServerSdk()
    calls ??= new CallServer(sdk, executor, { agentId, answerTimeout, questions })
    const served = calls
    const server = new sdk.Server(
      { name, version },
      {
        capabilities: { tools: { listChanged: true } },
        ...(instructions !== undefined && { instructions }),
        requestState: { verify: served.codec.verify },
        inputRequired: { maxRounds, roundTimeoutMs: answerTimeout },
        debouncedNotificationMethods: [listChanged],
      },
    )
    const { era } = context
    server.setRequestHandler("tools/list", () => ({ tools: toolList(agent) }))
    server.setRequestHandler("tools/call", (request, ctx) => served.answer(request, ctx, { server, era }))
    await configure?.(server, context)
    // A server that is made for one request has nobody to tell: see `onToolsChange`.
    if (context.requestInfo === undefined) tellChanges(server, build.onToolsChange)
    return server
  }
  const build: McpBuild = Object.assign(make, {
    onToolsChange: (listener: () => void) => agent.onDefinitionsChange(listener),
  })
  return { build }
}

const tellChanges = (server: Server, onToolsChange: McpBuild["onToolsChange"]): void => {
  const stop = onToolsChange(() => void server.sendToolListChanged().catch(() => {}))
  const { onclose } = server
  server.onclose = () => {
    stop()
    onclose?.()
  }
}
