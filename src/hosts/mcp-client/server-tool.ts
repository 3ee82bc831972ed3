/** A tool of a server, and how to send its calls. */
import type { CallToolResult, Client, Tool as McpTool, RequestOptions } from "@modelcontextprotocol/client"
import type { HandlerContext } from "../../model/handler.ts"
import type { PrimaryKind } from "../../model/tool.ts"

/** The parameter that rules match. */
export interface RemotePrimary {
  /** A string parameter of the tool. */
  readonly param: string
  /** Default `"text"`. */
  readonly kind?: PrimaryKind
}

export type Sdk = typeof import("@modelcontextprotocol/client")

/** The data of one call to send. */
export interface Sending {
  readonly client: Client
  readonly sdk: Sdk
  readonly params: Readonly<Record<string, unknown>>
  /** Contains `_meta` if there is any. */
  readonly about: { readonly _meta?: Record<string, unknown> }
  readonly options: RequestOptions & { readonly signal: AbortSignal }
  readonly context: HandlerContext
  /** Streams the server's status messages of a task, until the returned function is called. */
  taskStatus(taskId: string): () => void
}

/** A tool, in the form of the server's descriptions, and how to send its calls. */
export interface ServerTool {
  readonly described: McpTool
  /** The tool's name in rules. */
  readonly ruleName: string
  readonly primary?: RemotePrimary
  send(sending: Sending): Promise<CallToolResult>
}
