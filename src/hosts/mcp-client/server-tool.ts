/** A tool of a server, and how its calls are sent. */
import type { CallToolResult, Client, Tool as McpTool, RequestOptions } from "@modelcontextprotocol/client"
import type { HandlerContext } from "../../pipeline/model/handler.ts"
import type { PrimaryKind } from "../../pipeline/model/tool.ts"

/** What rules match of a call. */
export interface RemotePrimary {
  /** A string parameter of the tool. */
  readonly param: string
  /** Default `"text"`. */
  readonly kind?: PrimaryKind
}

/** What one call sends, and how. */
export interface Sending {
  readonly client: Client
  readonly params: Readonly<Record<string, unknown>>
  /** With `_meta` if there is any. */
  readonly about: { readonly _meta?: Record<string, unknown> }
  readonly options: RequestOptions
  readonly context: HandlerContext
}

/** A tool, as the server describes it or as it would, and how its calls are sent. */
export interface ServerTool {
  readonly described: McpTool
  /** Also the name for rules. */
  readonly ruleName: string
  readonly primary?: RemotePrimary
  send(sending: Sending): Promise<CallToolResult>
}
