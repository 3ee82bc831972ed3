/** A tool of an MCP server as a tool of a registry. */
import type { Tool as McpTool, Progress } from "@modelcontextprotocol/client"
import { handler } from "../../pipeline/model/handler.ts"
import { pipeline } from "../../pipeline/model/pipeline.ts"
import { defineTool, type PrimaryKind, type Tool, type ToolAnnotations } from "../../pipeline/model/tool.ts"
import type { Connection } from "./connection.ts"
import { serverToolName } from "./remote-name.ts"
import { remoteStep } from "./remote-result.ts"

/** What rules match of a call. */
export interface RemotePrimary {
  /** A string parameter of the tool. */
  readonly param: string
  /** Default `"text"`. */
  readonly kind?: PrimaryKind
}

/** What the server does not say of its tool. */
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

/** The message of a progress, or the numbers. */
const progressText = ({ progress, total, message }: Progress): string => {
  if (message !== undefined && message !== "") return message
  return `${progress}${total === undefined ? "" : `/${total}`}\n`
}

/** A tool whose calls go to the server. Throws if no tool can be made of the server's description. */
export const remoteTool = (tool: McpTool, connection: Connection, options: RemoteToolOptions): Tool => {
  const { name, server, asks, primary } = options
  const { title, description, inputSchema, outputSchema, annotations } = tool
  return defineTool({
    name,
    ruleNames: [serverToolName(server, tool.name)],
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
        async ({ signal, delta, traceParent }) => {
          const result = await connection.call({
            name: tool.name,
            params: params as Record<string, unknown>,
            signal,
            traceParent,
            // Nobody listens after the call's end.
            onProgress: (progress) => void delta(progressText(progress)).catch(() => {}),
          })
          return remoteStep(result)
        },
        annotations?.idempotentHint === true || annotations?.readOnlyHint === true ? {} : { retry: "never" },
      )
      return gated.andThen(call)
    },
  })
}
