/** `stepline mcp`: the tools of a folder for an MCP client. */
import { mcpServer } from "../hosts/mcp/mcp-server.ts"
import { serveMcpStdio } from "../hosts/mcp/serve-stdio.ts"
import { printable } from "../hosts/terminal/printable.ts"
import type { ToolExecutor } from "../pipeline/executor.ts"
import { type LocalOptions, localExecutor } from "./local-executor.ts"
import { onStop } from "./stopping.ts"

export type McpCommandOptions = LocalOptions

const instructions =
  "Tools for the files and commands of one folder. Calls that change something may be asked about; a denial is final."

/** What no call's client is there to answer: effects of previews that are dropped. */
const answerTheRest = async (executor: ToolExecutor): Promise<void> => {
  for await (const event of executor.events) {
    if (event._tag === "Delegate") event.succeed()
  }
}

const tell = (line: string): void => {
  process.stderr.write(`stepline: ${printable(line)}\n`)
}

/** Serves until the client has gone, or it is stopped. Gives the exit status. */
export const mcpCommand = async (options: McpCommandOptions, version: string): Promise<number> => {
  const local = await localExecutor({ ...options, mayAsk: false })
  const { executor, start, close } = local
  let stopped: number | undefined
  let stop = () => {}
  const asked = new Promise<void>((resolve) => {
    stop = resolve
  })
  const stopListening = onStop((status) => {
    stopped ??= status
    stop()
  })
  void answerTheRest(executor)
  try {
    for (const problem of await start()) tell(problem)
    const { build } = mcpServer(executor, { name: "stepline", version, instructions })
    await using served = await serveMcpStdio(build, { onError: (error) => tell(error.message) })
    await Promise.race([served.closed, asked])
  } finally {
    await executor.shutdown()
    await close()
    stopListening()
  }
  return stopped ?? 0
}
