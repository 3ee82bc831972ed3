/** The MCP servers of a command line and of its configuration file: their tools are used like any others. */
import type { Transport } from "@modelcontextprotocol/client"
import type { McpTools, McpToolsOptions } from "../hosts/mcp-client/mcp-tools.ts"
import type { RemotePrimary } from "../hosts/mcp-client/server-tool.ts"
import { busyFactor } from "../io/busy-machine.ts"
import type { ToolRegistry } from "../model/registry.ts"
import { isPlainObject } from "../schema/plain-object.ts"
import { messageOf } from "../text/message-of.ts"
import { readConfigFile } from "./config-file.ts"
import { UsageError } from "./usage-error.ts"

export interface McpServersOptions {
  /** Each is `NAME=COMMAND` or `NAME=URL`. */
  readonly mcp?: ReadonlyArray<string>
  /** The protocol for the servers of `mcp`: `legacy`, `auto`, or a revision. */
  readonly mcpMode?: string
  /** A TOML or JSON file with `[mcp.NAME]`. */
  readonly config?: string
}

export interface McpServers {
  /** Problems with single tools, one line each; grows while they are used. */
  readonly problems: ReadonlyArray<string>
  /** The name of a tool's server; undefined if it has none. */
  serverOf(tool: string): string | undefined
  close(): Promise<void>
}

interface ServerEntry {
  readonly name: string
  /** The option or file that defines the server, for errors. */
  readonly where: string
  /** A line for bash. */
  readonly command?: string
  readonly url?: string
  readonly env: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  /** The parameter that rules match, by tool. */
  readonly primary: Readonly<Record<string, RemotePrimary>>
  readonly mode: McpToolsOptions["mode"]
}

const modeOf = (mode: unknown, where: string): McpToolsOptions["mode"] => {
  if (mode === undefined || mode === "legacy" || mode === "auto") return mode
  if (typeof mode === "string" && /^\d{4}-\d\d-\d\d$/.test(mode)) return { pin: mode }
  throw new UsageError(`${where}: expected legacy, auto, or a revision of the protocol, such as 2026-07-28`)
}

const isAddress = (text: string): boolean => /^https?:\/\//.test(text)

const fromOption = (text: string, mode: ServerEntry["mode"]): ServerEntry => {
  const equals = text.indexOf("=")
  const value = text.slice(equals + 1).trim()
  if (equals < 1 || value === "") {
    throw new UsageError(`--mcp ${text}: expected NAME=COMMAND, such as files="npx server-filesystem ."`)
  }
  const server = isAddress(value) ? { url: value } : { command: value }
  const head = { name: text.slice(0, equals), where: `--mcp ${text}` }
  return { ...head, ...server, env: {}, headers: {}, primary: {}, mode }
}

const keys = ["command", "url", "env", "headers", "primary", "mode"]

const strings = (value: unknown, where: string): Record<string, string> => {
  if (value === undefined) return {}
  if (!isPlainObject(value) || !Object.values(value).every((each) => typeof each === "string")) {
    throw new UsageError(`${where}: expected a table of strings`)
  }
  return value as Record<string, string>
}

const kinds: ReadonlyArray<unknown> = ["command", "path", "text", undefined]

const primaries = (value: unknown, where: string): Record<string, RemotePrimary> => {
  const isPrimary = (each: unknown) =>
    isPlainObject(each) && typeof each.param === "string" && kinds.includes(each.kind)
  if (value === undefined) return {}
  if (!isPlainObject(value) || !Object.values(value).every(isPrimary)) {
    throw new UsageError(
      `${where}: expected, by tool, the \`param\` that rules match, and its \`kind\`: "command", "path" or "text"`,
    )
  }
  return value as Record<string, RemotePrimary>
}

const fromTable = (name: string, table: unknown, file: string): ServerEntry => {
  const where = `${file}: [mcp.${name}]`
  const { command, url, env, headers, primary, mode, ...others } = isPlainObject(table) ? table : {}
  const [other] = Object.keys(others)
  if (other !== undefined)
    throw new UsageError(`${where}: expected only ${keys.join(", ")}, got \`${other}\``)
  const isCommand = typeof command === "string" && url === undefined
  const isUrl = typeof url === "string" && isAddress(url) && command === undefined
  if (!isCommand && !isUrl) {
    throw new UsageError(
      `${where}: expected either a \`command\`, a line for bash, or a \`url\`, http or https`,
    )
  }
  return {
    name,
    where,
    ...(isCommand ? { command } : { url: url as string }),
    env: strings(env, `${where} env`),
    headers: strings(headers, `${where} headers`),
    primary: primaries(primary, `${where} primary`),
    mode: modeOf(mode, `${where} mode`),
  }
}

/** Whether a line needs a shell: it sets variables first, or has several commands. */
const needsShell = (line: string): boolean => /^\s*\w+=|[;|(){}\n]|(?<![<>])&/.test(line)

const transportOf = async ({ command, url, env, headers }: ServerEntry, cwd: string): Promise<Transport> => {
  if (url !== undefined) {
    const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client")
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { ...headers } } })
  }
  const { StdioClientTransport, getDefaultEnvironment } = await import("@modelcontextprotocol/client/stdio")
  // `exec`, so that ending the server ends the command, not a shell around it. For longer lines, bash does the same if
  // possible.
  const args = ["-c", needsShell(command!) ? command! : `exec ${command}`]
  return new StdioClientTransport({ command: "bash", args, cwd, env: { ...getDefaultEnvironment(), ...env } })
}

/** How long to wait for a server, in milliseconds; longer on a busy machine. Its tools can also arrive later. */
const patience = (): number => 10_000 * busyFactor()

/** Resolves once a connection is made or has failed; false if that takes too long. */
const within = (connecting: Promise<unknown>): Promise<boolean> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, patience(), false)
    const settled = () => {
      clearTimeout(timer)
      resolve(true)
    }
    connecting.then(settled, settled)
  })

/**
 * Connects to all servers, and registers their tools. A server that fails, or does not respond, is reported as a problem,
 * and the others are used. Rejects with a UsageError if all servers are from `mcp`, and none can be reached.
 */
export const connectServers = async (
  { mcp = [], mcpMode, config }: McpServersOptions,
  registry: ToolRegistry,
  cwd: string,
): Promise<McpServers> => {
  const named = config === undefined ? {} : (await readConfigFile(config)).mcp
  const entries = [
    ...Object.entries(named).map(([name, table]) => fromTable(name, table, config!)),
    ...mcp.map((text) => fromOption(text, modeOf(mcpMode, "--mcp-mode"))),
  ]
  const servers: Array<{ readonly name: string; readonly tools: McpTools }> = []
  const problems: Array<string> = []
  const serverOf = (tool: string) => servers.find(({ tools }) => tools.names.includes(tool))?.name
  const close = async () => void (await Promise.all(servers.map(({ tools }) => tools[Symbol.asyncDispose]())))
  if (entries.length === 0) return { problems, serverOf, close }
  const { McpTools } = await import("../hosts/mcp-client/mcp-tools.ts")
  const failures: Array<string> = []
  // Connect in parallel, but register in order, so that of two tools with the same name always the same one gets the prefix.
  let before: Promise<unknown> = Promise.resolve()
  const waits = entries.map((entry) => {
    const { name, where, primary, mode } = entry
    const tools = new McpTools({
      name,
      registry,
      transport: () => transportOf(entry, cwd),
      primary: (tool) => primary[tool.name],
      mode,
      onError: (error) => void problems.push(messageOf(error)),
      after: before,
    })
    servers.push({ name, tools })
    const connecting = tools.open().catch((error: unknown) => {
      failures.push(`${where}: ${messageOf(error)}`)
    })
    const waiting = within(connecting)
    before = waiting
    return waiting.then((isSettled) => {
      if (!isSettled)
        problems.push(`${where}: the MCP server ${name} is silent. Its tools can be called once it answers.`)
    })
  })
  await Promise.all(waits)
  if (failures.length === mcp.length && failures.length === entries.length) {
    await close()
    throw new UsageError(failures[0]!)
  }
  problems.unshift(...failures)
  return { problems, serverOf, close }
}
