/**
 * A server that the conformance suite of MCP can be run against: tools of ours, and prompts, resources, completion and logging
 * that `configure` adds. It tells its address on stdout.
 *
 *   npx tsx --conditions @stepline/source test/hosts/mcp/conformance-server.ts [PORT]
 *   npx @modelcontextprotocol/conformance@0.2.0-alpha.12 server --url URL --requirements 2026-07-28
 */
import { inputRequired, type McpRequestContext, type Server } from "@modelcontextprotocol/server"
import { Type } from "@sinclair/typebox"
import { mcpServer, serveMcpHttp } from "../../../src/hosts/mcp/index.ts"
import {
  defineTool,
  pipeline,
  Step,
  type Tool,
  ToolExecutor,
  type ToolOutput,
  ToolRegistry,
} from "../../../src/index.ts"
import { askingTools } from "./conformance-asking.ts"
import { taskMode, taskTools } from "./conformance-tasks.ts"

const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="

const text = (value: string) => ({ type: "text" as const, text: value })
const image = { type: "image" as const, data: png, mimeType: "image/png" }
const resource = (uri: string) => ({
  type: "resource" as const,
  resource: { uri, mimeType: "text/plain", text: "This is an embedded resource content." },
})

const giving = (name: string, content: ToolOutput["content"]): Tool =>
  defineTool({
    name,
    description: `Gives ${content.map(({ type }) => type).join(", ")}.`,
    parameters: Type.Object({}),
    compose: () => pipeline().andThen(() => Step.Output({ content })),
  })

const gated = (name: string): Tool =>
  defineTool({
    name,
    description: "Asks its user.",
    parameters: Type.Object({}),
    compose: () =>
      pipeline()
        .awaitApproval()
        .andThen(() => Step.Output("approved")),
  })

/** The servers of clients that have sessions: they are told what tools log. */
const servers = new Set<Server>()

const log = async (sessionId: unknown, data: string): Promise<void> => {
  for (const server of servers) {
    const isOwn = server.transport?.sessionId === sessionId
    if (isOwn) await server.sendLoggingMessage({ level: "info", data }, server.transport?.sessionId)
  }
}

const tools: ReadonlyArray<Tool> = [
  ...askingTools,
  ...taskTools,
  giving("test_simple_text", [text("This is a simple text response for testing.")]),
  giving("test_image_content", [image]),
  giving("test_audio_content", [{ type: "audio", data: wav, mimeType: "audio/wav" }]),
  giving("test_embedded_resource", [resource("test://embedded-resource")]),
  giving("test_multiple_content_types", [
    text("Multiple content types test:"),
    image,
    {
      type: "resource",
      resource: { uri: "test://mixed", mimeType: "application/json", text: '{"test":"data","value":123}' },
    },
  ]),
  defineTool({
    name: "test_error_handling",
    description: "Fails.",
    parameters: Type.Object({}),
    compose: () =>
      pipeline().andThen(() => Step.Error("This tool intentionally returns an error for testing")),
  }),
  defineTool({
    name: "test_tool_with_progress",
    description: "Tells its progress.",
    parameters: Type.Object({}),
    compose: () =>
      pipeline().andThen(async function* () {
        for (const part of ["0", "50", "100"]) yield Step.Delta(part)
        yield Step.Output("done")
      }),
  }),
  giving("test_logging_tool", [text("logged nothing")]),
  defineTool({
    name: "test_tool_with_logging",
    description: "Logs what it does.",
    parameters: Type.Object({}),
    compose: (_params, { meta }) =>
      pipeline().andThen(async () => {
        const { sessionId } = (meta?.mcp ?? {}) as { sessionId?: string }
        for (const what of ["started", "processing data", "completed"]) await log(sessionId, `Tool ${what}`)
        return Step.Output("logged three messages")
      }),
  }),
  defineTool({
    name: "test_trigger_tool_change",
    description: "Makes another tool come or go.",
    parameters: Type.Object({}),
    compose: () =>
      pipeline().andThen(() => {
        const another = giving("another_tool", [text("here")])
        if (registry.get(another.name) === undefined) registry.register(another)
        else registry.unregister(another.name)
        return Step.Output("changed")
      }),
  }),
  gated("test_input_required_result_tampered_state"),
  gated("test_streaming_elicitation"),
  defineTool({
    name: "test_header_parameter",
    description: "Has a parameter that proxies can read.",
    parameters: {
      type: "object",
      properties: { region: { type: "string", "x-mcp-header": "Region" } },
      required: ["region"],
    },
    compose: () => pipeline().andThen(() => Step.Output("read")),
  }),
  defineTool({
    name: "json_schema_2020_12_tool",
    description: "Has a schema with definitions.",
    parameters: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    background: false,
    compose: () => pipeline().andThen(() => Step.Output("valid")),
  }),
]

const prompts = [
  { name: "test_simple_prompt", description: "A prompt without arguments." },
  {
    name: "test_prompt_with_arguments",
    description: "A prompt with arguments.",
    arguments: [
      { name: "arg1", description: "The first.", required: true },
      { name: "arg2", description: "The second.", required: true },
    ],
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A prompt with a resource.",
    arguments: [{ name: "resourceUri", description: "Its address.", required: true }],
  },
  { name: "test_prompt_with_image", description: "A prompt with an image." },
  { name: "test_input_required_result_prompt", description: "A prompt that asks for its context." },
]

const user = <Content>(content: Content) => ({ role: "user" as const, content })

const promptMessages = (name: string, args: Record<string, string> = {}) => {
  switch (name) {
    case "test_prompt_with_arguments":
      return [user(text(`Prompt with arguments: arg1='${args.arg1}', arg2='${args.arg2}'`))]
    case "test_prompt_with_embedded_resource":
      return [
        user(resource(args.resourceUri ?? "test://a")),
        user(text("Please process the embedded resource above.")),
      ]
    case "test_prompt_with_image":
      return [user(image), user(text("Please analyze the image above."))]
    default:
      return [user(text("This is a simple prompt for testing."))]
  }
}

const contentsOf = (uri: string) => {
  const template = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)
  if (template !== null) {
    const value = JSON.stringify({ id: template[1], templateTest: true, data: `Data for ID: ${template[1]}` })
    return { uri, mimeType: "application/json", text: value }
  }
  if (uri === "test://static-binary") return { uri, mimeType: "image/png", blob: png }
  if (uri === "test://static-text") {
    return { uri, mimeType: "text/plain", text: "This is the content of the static text resource." }
  }
  return undefined
}

const contextForm = {
  mode: "form" as const,
  message: "What context should the prompt use?",
  requestedSchema: {
    type: "object" as const,
    properties: { context: { type: "string" as const } },
    required: ["context"],
  },
}

/** What no executor has: prompts, resources, completion, logging. */
const configure = async (server: Server, { era }: McpRequestContext): Promise<void> => {
  if (era === "legacy") {
    servers.add(server)
    const { onclose } = server
    server.onclose = () => {
      servers.delete(server)
      onclose?.()
    }
  }
  const { ResourceNotFoundError } = await import("@modelcontextprotocol/server")
  server.registerCapabilities({ prompts: {}, resources: { subscribe: true }, completions: {}, logging: {} })
  server.setRequestHandler("prompts/list", () => ({ prompts }))
  server.setRequestHandler("prompts/get", ({ params }, { mcpReq }) => {
    const isAsked = params.name === "test_input_required_result_prompt"
    if (isAsked && mcpReq.inputResponses?.user_context === undefined) {
      const request = { method: "elicitation/create" as const, params: contextForm }
      return inputRequired({ inputRequests: { user_context: request } })
    }
    return { messages: promptMessages(params.name, params.arguments) }
  })
  server.setRequestHandler("resources/list", () => ({
    resources: [
      { uri: "test://static-text", name: "Static text", mimeType: "text/plain" },
      { uri: "test://static-binary", name: "Static binary", mimeType: "image/png" },
    ],
  }))
  server.setRequestHandler("resources/templates/list", () => ({
    resourceTemplates: [{ uriTemplate: "test://template/{id}/data", name: "A template" }],
  }))
  server.setRequestHandler("resources/read", ({ params }) => {
    const contents = contentsOf(params.uri)
    if (contents === undefined) throw new ResourceNotFoundError(params.uri)
    return { contents: [contents] }
  })
  server.setRequestHandler("resources/subscribe", () => ({}))
  server.setRequestHandler("resources/unsubscribe", () => ({}))
  server.setRequestHandler("completion/complete", ({ params }) => ({
    completion: { values: [`${params.argument.value}…`], total: 1, hasMore: false },
  }))
}

const registry = new ToolRegistry(tools)
const executor = new ToolExecutor(registry)
const { build } = mcpServer(executor, { name: "conformance", version: "1.0.0", configure, tasks: taskMode })
const { url } = await serveMcpHttp(build, { port: Number(process.argv[2] ?? 0) })
process.stdout.write(`${url}\n`)
