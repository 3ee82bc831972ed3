/** The tools as MCP clients see them. */
import type { Tool as McpTool } from "@modelcontextprotocol/server"
import type { Tool, ToolAnnotations } from "../../model/tool.ts"
import type { ExecutorAgent } from "../../pipeline/agent.ts"
import type { JsonSchema } from "../../schema/json-schema.ts"
import { objectSchema } from "../../schema/object-schema.ts"

/** All four hints: a missing one counts as destructive and open to the world. */
const annotationsOf = ({
  readOnly = false,
  destructive,
  idempotent = false,
  openWorld = true,
}: ToolAnnotations) => ({
  readOnlyHint: readOnly,
  destructiveHint: destructive ?? !readOnly,
  idempotentHint: idempotent || readOnly,
  openWorldHint: openWorld,
})

/** The schema as sent, without the data that schema libraries store under symbols. */
const plain = (schema: JsonSchema): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schema)) as Record<string, unknown>

/**
 * A client refuses a result without the structured output that its tool promises, and the note about a background call has
 * none: such a tool is not offered in the background.
 */
const parametersOf = (tool: Tool<unknown>, offered: JsonSchema): JsonSchema =>
  tool.outputSchema === undefined ? offered : tool.parameters

/**
 * The answer to `tools/list` for an agent. `withResolve`: whether to include tools that otherwise appear only while they can
 * be called.
 */
export const toolList = (agent: ExecutorAgent, withResolve: boolean): Array<McpTool> =>
  agent.definitions({ withResolve }).map(({ name, description, parameters }) => {
    const tool = agent.tool(name)
    if (tool === undefined) return { name, description, inputSchema: objectSchema(plain(parameters)) }
    const { label, annotations, outputSchema } = tool
    return {
      name,
      title: label,
      description,
      inputSchema: objectSchema(plain(parametersOf(tool, parameters))),
      ...(outputSchema !== undefined && {
        outputSchema: plain(outputSchema),
      }),
      annotations: annotationsOf(annotations),
    }
  })
