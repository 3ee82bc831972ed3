/** The tools that a server lists. */
import type { Tool as McpTool } from "@modelcontextprotocol/client"
import { serverToolName } from "./remote-name.ts"
import type { ServerTool } from "./server-tool.ts"

/** Makes the tool for one that the server lists. */
export const ownTool = (server: string, described: McpTool): ServerTool => ({
  described,
  ruleName: serverToolName(server, described.name),
  send: ({ client, params, about, options }) =>
    client.callTool({ name: described.name, arguments: params, ...about }, options),
})
