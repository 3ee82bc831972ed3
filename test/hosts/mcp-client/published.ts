/** The servers that are published for MCP, connected to an executor. Disconnected when the test is over. */
import { fileURLToPath } from "node:url"
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio"
import { onTestFinished } from "vitest"
import { McpTools, type McpToolsOptions } from "../../../src/hosts/mcp-client/index.ts"
import { ToolExecutor, type ToolExecutorOptions, ToolRegistry } from "../../../src/index.ts"

const modules = fileURLToPath(new URL("../../../node_modules/@modelcontextprotocol/", import.meta.url))

/** The entry file of a published server. */
export const serverFile = (name: "everything" | "filesystem" | "memory"): string =>
  `${modules}server-${name}/dist/index.js`

export interface StartedServer {
  readonly tools: McpTools
  readonly registry: ToolRegistry
  readonly executor: ToolExecutor
  /** The transports that were made, the last one last. */
  readonly transports: ReadonlyArray<StdioClientTransport>
  readonly errors: ReadonlyArray<Error>
}

export interface StartOptions extends Partial<McpToolsOptions> {
  readonly args?: ReadonlyArray<string>
  readonly env?: Record<string, string>
  readonly executor?: ToolExecutorOptions
}

/** A file run by node as an MCP server; its calls have no gate unless `approval` says so. */
export const startServer = async (file: string, options: StartOptions = {}): Promise<StartedServer> => {
  const { args = [], env, executor: executorOptions, ...rest } = options
  const registry = options.registry ?? new ToolRegistry()
  const transports: Array<StdioClientTransport> = []
  const errors: Array<Error> = []
  const tools = await McpTools.connect({
    name: "remote",
    registry,
    approval: () => false,
    onError: (error) => void errors.push(error),
    transport: () => {
      const transport = new StdioClientTransport({
        command: process.execPath,
        args: [file, ...args],
        stderr: "ignore",
        ...(env && { env: { ...(process.env as Record<string, string>), ...env } }),
      })
      transports.push(transport)
      return transport
    },
    ...rest,
  })
  const executor = new ToolExecutor(registry, executorOptions)
  onTestFinished(async () => {
    await executor.shutdown()
    await tools[Symbol.asyncDispose]()
  })
  return { tools, registry, executor, transports, errors }
}
