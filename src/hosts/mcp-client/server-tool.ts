/** A tool of a server, and how to send its calls. */
import type { CallToolResult, Client, Tool as McpTool, RequestOptions } from "@modelcontextprotocol/client"
import type { HandlerContext } from "../../pipeline/model/handler.ts"
import type { PrimaryKind } from "../../pipeline/model/tool.ts"

/** The parameter that rules match. */
export interface RemotePrimary {
  /** A string parameter of the tool. */
  readonly param: string
  /** Default `"text"`. */
  readonly kind?: PrimaryKind
}

/** The data of one call to send. */
export interface Sending {
  readonly client: Client
  readonly params: Readonly<Record<string, unknown>>
  /** Contains `_meta` if there is any. */
  readonly about: { readonly _meta?: Record<string, unknown> }
  readonly options: RequestOptions
  readonly context: HandlerContext
}

/** A tool, in the form of the server's descriptions, and how to send its calls. */
export interface ServerTool {
  readonly described: McpTool
  /** The tool's name in rules. */
  readonly ruleName: string
  readonly primary?: RemotePrimary
  send(sending: Sending): Promise<CallToolResult>
}
