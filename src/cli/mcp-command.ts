/** `stepline mcp`: the tools of a folder for an MCP client. */
import { randomBytes } from "node:crypto"
import { type McpBuild, type McpTaskMode, mcpServer } from "../hosts/mcp/mcp-server.ts"
import { serveMcpHttp } from "../hosts/mcp/serve-http.ts"
import { serveMcpStdio } from "../hosts/mcp/serve-stdio.ts"
import type { ToolExecutor } from "../pipeline/executor.ts"
import { type LocalOptions, localExecutor } from "./local-executor.ts"
import { openPage, type PageOptions, portOf } from "./page.ts"
import { whoOf } from "./person.ts"
import { Stopping } from "./stopping.ts"
import { tell } from "./tell.ts"
import { asUsageError } from "./usage-error.ts"

export interface McpCommandOptions extends LocalOptions, PageOptions {
  /** A port of this machine. Default: stdin and stdout. */
  readonly http?: string
}

const instructions =
  "Tools for the files and commands of one folder. Calls that change something may be asked about; a denial is final."

/** Most clients wait a minute for a request. */
const taskMode: McpTaskMode = { after: "30 seconds" }

/** Answers the effects that no client answers: those of dropped previews. */
const answerTheRest = async (executor: ToolExecutor): Promise<void> => {
  for await (const event of executor.events) {
    if (event._tag === "Delegate") event.succeed()
  }
}

const onError = (error: Error): void => tell(error.message)

/** Resolves once the client has disconnected, or a stop was requested. */
const serve = async (build: McpBuild, http: string | undefined, asked: Promise<void>): Promise<void> => {
  if (http === undefined) {
    await using served = await serveMcpStdio(build, { onError }).catch(asUsageError())
    await Promise.race([served.closed, asked])
    return
  }
  // Every program of this machine, also of other users, can reach its ports.
  const { STEPLINE_MCP_TOKEN: given } = process.env
  const token = given === undefined || given === "" ? randomBytes(24).toString("base64url") : given
  const port = portOf("--http", http)
  const serving = serveMcpHttp(build, { port, token, onError })
  await using served = await serving.catch(asUsageError(`--http ${http}: `))
  tell(`serving ${served.url}`)
  if (token !== given) tell(`clients send the header Authorization: Bearer ${token}`)
  await asked
}

/** Serves until the client disconnects, or it is stopped. Resolves with the exit status. */
export const mcpCommand = async (options: McpCommandOptions, version: string): Promise<number> => {
  const local = await localExecutor({ ...options, mayAsk: false })
  const { executor, start, close } = local
  const stopping = new Stopping()
  void answerTheRest(executor)
  try {
    for (const problem of await start()) tell(problem)
    await using _page = await openPage(local, options, tell)
    const { build } = mcpServer(executor, {
      name: "stepline",
      version,
      instructions,
      tasks: () => taskMode,
      who: whoOf(options.as),
      // A client without forms has the page.
      leavesGates: options.ui === true,
    })
    await serve(build, options.http, stopping.asked)
  } finally {
    await executor.shutdown()
    await close()
    stopping.end()
  }
  return stopping.status ?? 0
}
