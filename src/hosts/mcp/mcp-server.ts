/** An executor as an MCP server: builds an SDK server for each connection or request; all of them share the executor's calls. */

import type { McpRequestContext, Server, ServerContext } from "@modelcontextprotocol/server"
import { toMillis } from "../../model/duration.ts"
import { expectFlag, expectFunction, expectText, got } from "../../model/got.ts"
import type { DurationInput } from "../../model/step.ts"
import type { Tool } from "../../model/tool.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { longestTimer } from "../../pipeline/time/longest-timer.ts"
import type { JsonSchema } from "../../schema/json-schema.ts"
import type { HostQuestion } from "../waiting-questions.ts"
import { CallServer, type TaskMode } from "./call-server.ts"
import { callerName } from "./caller-name.ts"
import { tasksExtension } from "./client-tasks.ts"
import { loadServerSdk } from "./load-sdk.ts"
import { toolList } from "./tool-list.ts"

/** Options of `mcpServer`. */
export interface McpServerOptions {
  /** The name of the server for its clients. */
  readonly name: string
  readonly version: string
  /** How to use the tools, for the client's model. */
  readonly instructions?: string
  /** The agent whose tools, tasks and pending actions are served. Default `"main"`. */
  readonly agentId?: string
  /**
   * Answers gates, and effects without a delegate, instead of the client. Default: the client's user is asked at gates, Ide
   * effects succeed with nothing, others fail.
   */
  readonly questions?: (question: HostQuestion) => unknown
  /**
   * Who answers for the client in a request, as the `by` of the answer, such as from `http.authInfo`. Default: the result of
   * `identify` of `mcpHandler`; else nobody is named, and a gate of people with names is denied.
   */
  readonly who?: (request: ServerContext) => string | undefined
  /**
   * Whether a gate that the client cannot be asked about waits for another host, such as the page of `stepline/hosts/web`. Default
   * false: the call is denied.
   */
  readonly leavesGates?: boolean
  /**
   * Whether `resolve` and `read_result` are always listed, for clients that read the list once. Default false: only while
   * there is something for them, and clients are notified.
   */
  readonly withResolve?: boolean
  /**
   * When a call of a tool becomes a task of the protocol (`io.modelcontextprotocol/tasks`) for clients of 2026-07-28 that
   * declare it: `"always"`; `"required"`, which refuses other clients; or after a time. A call in the background is a task,
   * unless the mode is `"never"`. Default: clients do not learn of tasks. A tool that may not run in the background has
   * none.
   */
  readonly tasks?: (tool: Tool<unknown>) => McpTaskMode
  /** How long an answer of the client's user may take. Default 10 minutes. */
  readonly answerTimeout?: DurationInput
  /** Called with every built server, before it is connected, to add prompts, resources, completion, logging. */
  readonly configure?: (server: Server, context: McpRequestContext) => void | Promise<void>
}

/** When a call becomes a task. */
export type McpTaskMode = "never" | "always" | "required" | { readonly after: DurationInput }

/** Builds a server for one connection or request. Longer-lived state is shared by all of them. */
export interface McpBuild {
  (context: McpRequestContext): Promise<Server>
  /** Calls the listener whenever the tools have changed; returns a function that stops that. */
  readonly onToolsChange: (listener: () => void) => () => void
  /** The parameters of a tool, as clients see them. */
  readonly schemaOf: (tool: string) => JsonSchema | undefined
}

const listChanged = "notifications/tools/list_changed"

/**
 * Serves the tools of an executor to MCP clients, through `serveMcpStdio` and `serveMcpHttp`. Needs the package
 * `@modelcontextprotocol/server`, loaded when the first client connects.
 *
 * @example
 * const { build } = mcpServer(executor, { name: "notes", version: "1.0.0" })
 * await serveMcpStdio(build)
 */
export const mcpServer = (
  executor: ToolExecutor,
  options: McpServerOptions,
): { readonly build: McpBuild } => {
  const {
    name,
    version,
    instructions,
    agentId = "main",
    questions,
    configure,
    leavesGates = false,
    withResolve = false,
    who = callerName,
  } = options
  for (const [option, value] of Object.entries({ name, version })) {
    if (typeof value !== "string")
      throw new TypeError(`Expected \`${option}\` of the server to be a string, ${got(value)}`)
  }
  expectText("agentId", agentId)
  expectFlag("leavesGates", leavesGates)
  expectFlag("withResolve", withResolve)
  for (const option of ["questions", "tasks", "configure", "who"] as const)
    expectFunction(option, options[option])
  const tasks = options.tasks && taskModes(options.tasks)
  const answerTimeout = Math.min(toMillis("answerTimeout", options.answerTimeout, "10 minutes"), longestTimer)
  const agent = executor.agent(agentId)
  let calls: CallServer | undefined
  const make = async (context: McpRequestContext): Promise<Server> => {
    const sdk = await loadServerSdk()
    calls ??= new CallServer(sdk, executor, { agentId, answerTimeout, questions, tasks, leavesGates, who })
    const served = calls
    const { era } = context
    const offersTasks = tasks !== undefined && era === "modern"
    const server = new sdk.Server(
      { name, version },
      {
        capabilities: {
          tools: { listChanged: true },
          ...(offersTasks && { extensions: { [tasksExtension]: {} } }),
        },
        ...(instructions !== undefined && { instructions }),
        requestState: { verify: served.codec.verify },
        inputRequired: { roundTimeoutMs: answerTimeout },
        debouncedNotificationMethods: [listChanged],
      },
    )
    server.setRequestHandler("tools/list", () => ({ tools: toolList(agent, withResolve) }))
    served.serve({ server, era })
    await configure?.(server, context)
    // A server for one request cannot report later changes: see `onToolsChange`.
    if (context.requestInfo === undefined) tellChanges(server, build.onToolsChange)
    return server
  }
  const build: McpBuild = Object.assign(make, {
    onToolsChange: (listener: () => void) => agent.onDefinitionsChange(listener),
    schemaOf: (tool: string) => agent.tool(tool)?.parameters,
  })
  return { build }
}

const taskModes =
  (given: NonNullable<McpServerOptions["tasks"]>) =>
  (tool: Tool<unknown>): TaskMode => {
    const mode = given(tool)
    if (mode === "never" || mode === "always" || mode === "required") return mode
    if (typeof mode === "object") return { after: Math.min(toMillis("after", mode.after), longestTimer) }
    throw new TypeError(
      `Expected \`tasks\` to give "never", "always", "required" or { after } for ${tool.name}, ${got(mode)}`,
    )
  }

const tellChanges = (server: Server, onToolsChange: McpBuild["onToolsChange"]): void => {
  const stop = onToolsChange(() => void server.sendToolListChanged().catch(() => {}))
  const { onclose } = server
  server.onclose = () => {
    stop()
    onclose?.()
  }
}
