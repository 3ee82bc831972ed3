/** A client of the revision 2026-07-28 that writes its requests itself: the SDK's own knows no tasks. */
import { onTestFinished } from "vitest"
import { type McpServerOptions, mcpServer, serveMcpHttp } from "../../../src/hosts/mcp/index.ts"
import type { ToolExecutor } from "../../../src/index.ts"

/** An answer of the server, as it came. */
export interface RawAnswer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: whatever the server sends
  readonly result?: any
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

export interface RawClient {
  request(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<RawAnswer>
  call(name: string, args?: object, more?: object): Promise<RawAnswer>
  /** Asks for a task until it has come to this. */
  until(taskId: string, status: string): Promise<RawAnswer["result"]>
}

export const tasksExtension = "io.modelcontextprotocol/tasks"

type Values = Readonly<Record<string, unknown>>

/** A request, as a client that declares these capabilities writes it. */
export const rawRequest = (
  url: string,
  id: number,
  method: string,
  params: Values,
  capabilities: object,
  headers: Readonly<Record<string, string>> = {},
): Request => {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "raw", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
  }
  return new Request(url, {
    method: "POST",
    headers: {
      "Content-Type": "application/json",
      Accept: "application/json, text/event-stream",
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": method,
      "Mcp-Name": String(params.name ?? params.taskId ?? ""),
      ...headers,
    },
    body: JSON.stringify({ jsonrpc: "2.0", id, method, params: { ...params, _meta } }),
  })
}

/** What a response holds: the last message of it. */
export const rawAnswer = async (response: Response): Promise<RawAnswer> => {
  const text = await response.text()
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true
  const data = isStream
    ? text
        .split("\n")
        .findLast((line) => line.startsWith("data: "))!
        .slice(6)
    : text
  return { status: response.status, ...JSON.parse(data) }
}

/** Serves the executor over HTTP, and gives a function from what a client declares to that client. */
export const rawClients = async (executor: ToolExecutor, options: Partial<McpServerOptions> = {}) => {
  const { build } = mcpServer(executor, { name: "served", version: "1.0.0", ...options })
  const served = await serveMcpHttp(build, { port: 0 })
  onTestFinished(() => served[Symbol.asyncDispose]())
  let id = 0

  return (capabilities: object): RawClient => {
    const request = async (
      method: string,
      params: Values = {},
      headers: Readonly<Record<string, string>> = {},
    ) => {
      id += 1
      return rawAnswer(await fetch(rawRequest(served.url, id, method, params, capabilities, headers)))
    }
    const until = async (taskId: string, status: string): Promise<RawAnswer["result"]> => {
      for (;;) {
        const { result } = await request("tasks/get", { taskId })
        if (result.status === status) return result
      }
    }
    return {
      request,
      call: (name, args = {}, more = {}) => request("tools/call", { name, arguments: args, ...more }),
      until,
    }
  }
}
