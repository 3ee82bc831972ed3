/** The stock client, connected to an executor that is served in this process. Closed when the test is over. */
import { Client, type ElicitResult, InMemoryTransport } from "@modelcontextprotocol/client"
import { onTestFinished } from "vitest"
import { type McpServerOptions, mcpServer, serveMcpStdio } from "../../../src/hosts/mcp/index.ts"
import { noIde, type Tool, ToolExecutor, type ToolExecutorOptions, ToolRegistry } from "../../../src/index.ts"

export type Revision = "2025-11-25" | "2026-07-28"

export const revisions: ReadonlyArray<Revision> = ["2025-11-25", "2026-07-28"]

export interface ConnectOptions {
  readonly revision?: Revision
  /** What the user answers. Without it, the client cannot ask its user. */
  readonly answer?: (message: string) => ElicitResult | Promise<ElicitResult>
  readonly server?: Partial<McpServerOptions>
  readonly executor?: ToolExecutorOptions
}

export interface Connected {
  readonly client: Client
  readonly executor: ToolExecutor
  readonly registry: ToolRegistry
  /** The questions that the user was shown. */
  readonly asked: ReadonlyArray<string>
}

/** A stock client of one revision; `answer` stands for its user. */
export const stockClient = (
  { revision = "2025-11-25", answer }: ConnectOptions,
  asked: Array<string> = [],
): Client => {
  const client = new Client(
    { name: "stock", version: "1.0.0" },
    {
      capabilities: answer === undefined ? {} : { elicitation: { form: {} } },
      versionNegotiation: { mode: revision === "2026-07-28" ? { pin: revision } : "legacy" },
    },
  )
  if (answer !== undefined) {
    client.setRequestHandler("elicitation/create", ({ params }) => {
      asked.push(params.message)
      return answer(params.message)
    })
  }
  return client
}

export const connect = async (tools: Iterable<Tool>, options: ConnectOptions = {}): Promise<Connected> => {
  const registry = new ToolRegistry(tools)
  const executor = new ToolExecutor(registry, { delegates: noIde, ...options.executor })
  const { build } = mcpServer(executor, { name: "served", version: "1.2.3", ...options.server })
  const [near, far] = InMemoryTransport.createLinkedPair()
  const served = await serveMcpStdio(build, { transport: far })
  const asked: Array<string> = []
  const client = stockClient(options, asked)
  onTestFinished(async () => {
    await client.close()
    await served[Symbol.asyncDispose]()
    await executor.shutdown()
  })
  await client.connect(near)
  return { client, executor, registry, asked }
}

export const approve = (content: Record<string, string> = {}): ElicitResult => ({
  action: "accept",
  content: { decision: "approve", ...content },
})

/** The text of a result. */
export const textOfResult = ({
  content,
}: {
  content: ReadonlyArray<{ type: string; text?: string }>
}): string => content.flatMap(({ type, text }) => (type === "text" ? [text] : [])).join("\n")
