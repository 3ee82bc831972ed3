/** A tool of an MCP server as a tool of a registry. */
import type { Tool as McpTool } from "@modelcontextprotocol/client"
import { handler } from "../../model/handler.ts"
import { pipeline } from "../../model/pipeline.ts"
import { defineTool, type Tool, type ToolAnnotations } from "../../model/tool.ts"
import type { Connection } from "./connection.ts"
import { remoteStep } from "./remote-result.ts"
import type { RemotePrimary, ServerTool } from "./server-tool.ts"

/** The options of a tool that do not come from its server. */
export interface RemoteToolOptions {
  /** The name in the registry. */
  readonly name: string
  /** The name of the server, for people. */
  readonly server: string
  readonly asks: boolean
  readonly primary: RemotePrimary | undefined
}

const annotationsOf = (tool: McpTool): ToolAnnotations => {
  const { readOnlyHint, destructiveHint, idempotentHint, openWorldHint } = tool.annotations ?? {}
  return {
    ...(readOnlyHint !== undefined && { readOnly: readOnlyHint }),
    ...(destructiveHint !== undefined && { destructive: destructiveHint }),
    ...(idempotentHint !== undefined && { idempotent: idempotentHint }),
    ...(openWorldHint !== undefined && { openWorld: openWorldHint }),
  }
}

/** Makes a tool whose calls go to the server. Throws if the server's description is unusable. */
export const remoteTool = (of: ServerTool, connection: Connection, options: RemoteToolOptions): Tool => {
  const { described: tool, ruleName } = of
  const { name, server, asks, primary } = options
  const { title, description, inputSchema, outputSchema, annotations } = tool
  return defineTool({
    name,
    ruleNames: [ruleName],
    label: title ?? annotations?.title ?? tool.name,
    description: description ?? `The tool ${tool.name} of the MCP server ${server}.`,
    parameters: inputSchema as object,
    annotations: annotationsOf(tool),
    ...(outputSchema !== undefined && { outputSchema: outputSchema as object }),
    ...(primary !== undefined && { primaryParam: primary.param, primaryKind: primary.kind ?? "text" }),
    compose: (params) => {
      const gated = asks
        ? pipeline().awaitApproval({ label: `${tool.name} of the MCP server ${server}` })
        : pipeline()
      const call = handler(
        "CallTool",
        async (context) => remoteStep(await connection.call(of, params as Record<string, unknown>, context)),
        annotations?.idempotentHint === true || annotations?.readOnlyHint === true ? {} : { retry: "never" },
      )
      return gated.andThen(call)
    },
  })
}
