/** The tools that read a server's resources and prompts, if it has any. */
import type {
  CallToolResult,
  ContentBlock,
  Tool as McpTool,
  ReadResourceResult,
  ServerCapabilities,
} from "@modelcontextprotocol/client"
import { serverToolName } from "./remote-name.ts"
import type { RemotePrimary, ServerTool } from "./server-tool.ts"

type Properties = NonNullable<McpTool["inputSchema"]["properties"]>
const asText = (text: string): CallToolResult => ({ content: [{ type: "text", text }] })

const line = (name: string, notes: ReadonlyArray<string | undefined>): string =>
  [name, ...notes.filter((note) => note !== undefined && note !== "" && note !== name)].join(" – ")

/** Converts content to a text, image or audio block; other contents become a resource block. */
const blockOf = (content: ReadResourceResult["contents"][number], isOne: boolean): ContentBlock => {
  if ("text" in content)
    return { type: "text", text: isOne ? content.text : `${content.uri}:\n${content.text}\n` }
  const { mimeType = "", blob: data } = content
  const type = /^(image|audio)\//.exec(mimeType)?.[1] as "image" | "audio" | undefined
  return type === undefined ? { type: "resource", resource: content } : { type, mimeType, data }
}

/** Makes the tools for a server's resources and prompts. */
export const extraTools = (server: string, { resources, prompts }: ServerCapabilities): Array<ServerTool> => {
  const extra = (
    name: string,
    description: string,
    properties: Properties,
    send: ServerTool["send"],
    primary?: RemotePrimary,
  ): ServerTool => ({
    described: {
      name: serverToolName(server, name),
      title: name,
      description: `${description} of the MCP server ${server}.`,
      inputSchema: { type: "object", properties, required: Object.keys(properties).slice(0, 1) },
      annotations: { readOnlyHint: true },
    },
    ruleName: serverToolName(server, name),
    ...(primary && { primary }),
    send,
  })
  return [
    ...(resources === undefined
      ? []
      : [
          extra("list_resources", "Lists the resources", {}, async ({ client, options }) => {
            const { resources } = await client.listResources(undefined, options)
            // Not every server with resources supports templates.
            const { resourceTemplates } = await client
              .listResourceTemplates(undefined, options)
              .catch(() => ({ resourceTemplates: [] }))
            const lines = [
              ...resources.map(({ uri, name, mimeType, description }) =>
                line(uri, [name, mimeType, description]),
              ),
              ...resourceTemplates.map(({ uriTemplate, name, description }) =>
                line(`${uriTemplate} (template)`, [name, description]),
              ),
            ]
            return asText(lines.join("\n") || "There are no resources.")
          }),
          extra(
            "read_resource",
            "Reads a resource",
            {
              uri: {
                type: "string",
                description: "The URI, as list_resources gives it, templates filled in.",
              },
            },
            async ({ client, params: { uri }, about, options }) => {
              const { contents } = await client.readResource({ uri: uri as string, ...about }, options)
              return { content: contents.map((content) => blockOf(content, contents.length === 1)) }
            },
            { param: "uri" },
          ),
        ]),
    ...(prompts === undefined
      ? []
      : [
          extra("list_prompts", "Lists the prompts", {}, async ({ client, options }) => {
            const { prompts } = await client.listPrompts(undefined, options)
            const lines = prompts.map(({ name, description, arguments: given = [] }) => {
              const names = given.map(({ name, required }) => (required === true ? name : `${name}?`))
              return line(`${name}(${names.join(", ")})`, [description])
            })
            return asText(lines.join("\n") || "There are no prompts.")
          }),
          extra(
            "get_prompt",
            "Gets the messages of a prompt",
            {
              name: { type: "string", description: "The name, as list_prompts gives it." },
              arguments: {
                type: "object",
                description: "The prompt's arguments.",
                additionalProperties: { type: "string" },
              },
            },
            async ({ client, params, about, options }) => {
              const prompt = params as { readonly name: string; readonly arguments?: Record<string, string> }
              const { messages } = await client.getPrompt({ ...prompt, ...about }, options)
              return {
                content: messages.flatMap(({ role, content }) =>
                  content.type === "text"
                    ? [{ ...content, text: `${role}: ${content.text}\n` }]
                    : [{ type: "text" as const, text: `${role}:\n` }, content],
                ),
              }
            },
            { param: "name" },
          ),
        ]),
  ]
}
