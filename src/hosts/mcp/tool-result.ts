/** The result of a call that has ended, for an MCP client. */
import type { CallToolResult } from "@modelcontextprotocol/server"
import type { ToolResult } from "../../model/event.ts"
import { shownJson } from "../shown-json.ts"

/** A text result that says why the call failed. */
export const errorResult = (text: string): CallToolResult => ({
  content: [{ type: "text", text }],
  isError: true,
})

const editedNote = (params: unknown) => ({
  type: "text" as const,
  text: `The user edited the parameters before this ran: ${shownJson(params)}`,
})

/** The blocks have MCP's shapes already. */
export const toolResult = ({ output, isError }: ToolResult, editedParams?: unknown): CallToolResult => {
  const { structured } = output
  const content = output.content as CallToolResult["content"]
  return {
    content: editedParams === undefined ? [...content] : [editedNote(editedParams), ...content],
    ...(structured !== undefined && {
      structuredContent: structured as NonNullable<CallToolResult["structuredContent"]>,
    }),
    ...(isError && { isError }),
  }
}
