/**
 * An MCP gateway: clients connect to it in place of other people's servers, whose tools it offers as its own. A call meets the
 * rules first: what they deny never reaches its server, what they allow goes there unasked, and all else is put to the client's
 * user, who may approve, edit or deny it. Every decision is written down.
 *
 *     npx tsx mcp-gateway.ts gateway.json   a client's configuration names this as the command of a server
 *
 *     {
 *       "servers": {
 *         "files": { "command": "npx", "args": ["@modelcontextprotocol/server-filesystem", "/home/me/notes"] },
 *         "wiki": { "url": "https://wiki.example/mcp" }
 *       },
 *       "matches": { "read_text_file": { "param": "path", "kind": "path" } },
 *       "rules": {
 *         "read_text_file": { "allow": ["\\.md$"], "deny": ["\\.env$"] },
 *         "read_multiple_files": { "deny": [".*"] }
 *       },
 *       "log": "decisions.jsonl"
 *     }
 *
 * A rule sees the one parameter that `matches` names, and nothing where it names none: a tool that takes several paths is denied
 * as a whole, or asked.
 */
import { readFile } from "node:fs/promises"
import { pathToFileURL } from "node:url"
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/client"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { DecisionLog, ToolExecutor, type ToolFilterConfig, ToolFilters, ToolRegistry } from "stepline"
import { type McpBuild, mcpServer, serveMcpStdio } from "stepline/hosts/mcp"
import { McpTools, type RemotePrimary } from "stepline/hosts/mcp-client"

/** A server behind the gateway: a program, whose environment is `env` beside what any program needs (PATH, HOME), or an address. */
export type GatewayServer =
  | {
      readonly command: string
      readonly args?: Array<string>
      readonly env?: Record<string, string>
      readonly cwd?: string
    }
  | { readonly url: string; readonly headers?: Record<string, string> }

export interface GatewayConfig {
  readonly servers: Readonly<Record<string, GatewayServer>>
  /** What rules match of a tool's calls. */
  readonly matches?: Readonly<Record<string, RemotePrimary>>
  readonly rules?: ToolFilterConfig
  /** A file that gets a line for each decision: `stepline verify-log` checks it. */
  readonly log?: string
}

interface Gateway extends AsyncDisposable {
  /** For `serveMcpStdio` and `serveMcpHttp`. One gateway is one tenant: its clients share tasks and previews. */
  readonly build: McpBuild
}

const transportTo = (server: GatewayServer) =>
  "url" in server
    ? new StreamableHTTPClientTransport(new URL(server.url), {
        requestInit: { headers: server.headers ?? {} },
      })
    : new StdioClientTransport({ ...server, stderr: "inherit" })

/** Connects to all servers. Rejects where one cannot be reached; one that is lost later is connected to again by the next call. */
const openGateway = async ({ servers, matches = {}, rules = {}, log }: GatewayConfig): Promise<Gateway> => {
  const registry = new ToolRegistry()
  const connected: Array<McpTools> = []
  const decisions = log === undefined ? undefined : DecisionLog.open(log)
  const executor = new ToolExecutor(registry, {
    filters: ToolFilters.compile(rules),
    // What a server says of its tools is believed neither here nor there; how long a call may take is known to nobody.
    callTimeout: "1 hour",
    ...(decisions && { onDecision: decisions.add }),
  })
  const close = async () => {
    await executor.shutdown()
    await Promise.all(connected.map((tools) => tools[Symbol.asyncDispose]()))
    decisions?.close()
  }
  try {
    for (const [name, server] of Object.entries(servers)) {
      const tools = await McpTools.connect({
        name,
        registry,
        transport: () => transportTo(server),
        primary: (tool) => (Object.hasOwn(matches, tool.name) ? matches[tool.name] : undefined),
        onError: ({ message }) => console.error(`${name}: ${message}`),
      })
      connected.push(tools)
    }
  } catch (error) {
    await close()
    throw error
  }
  const { build } = mcpServer(executor, {
    name: "gateway",
    version: "1.0.0",
    tasks: () => ({ after: "30 seconds" }),
  })
  return { build, [Symbol.asyncDispose]: close }
}

const main = async (file = "gateway.json"): Promise<void> => {
  const config = JSON.parse(await readFile(file, "utf8")) as GatewayConfig
  const gateway = await openGateway(config)
  const client = await serveMcpStdio(gateway.build)
  const end = () => void client[Symbol.asyncDispose]()
  process.once("SIGTERM", end).once("SIGINT", end)
  await client.closed
  await gateway[Symbol.asyncDispose]()
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) await main(process.argv[2])
