/** `stepline acp`: an agent for editors that speak the Agent Client Protocol, on stdin and stdout; its calls are scripted. */
import { randomUUID } from "node:crypto"
import { Readable, Writable } from "node:stream"
import type { AgentApp, AgentConnection, ClientCapabilities, RequestError } from "@agentclientprotocol/sdk"
import { loadPeer } from "../hosts/load-peer.ts"
import { ScriptedSession, type ScriptedSessionOptions } from "./acp-session.ts"
import type { LocalOptions } from "./local-executor.ts"
import { type PersonOptions, personOf } from "./person.ts"
import { parseScript, type ScriptStep } from "./script.ts"
import { Stopping } from "./stopping.ts"
import { tell } from "./tell.ts"
import { readTextFile } from "./text-file.ts"
import { asUsageError, UsageError } from "./usage-error.ts"

type Sdk = typeof import("@agentclientprotocol/sdk")

const readScript = async (file: string): Promise<ReadonlyArray<ScriptStep>> =>
  parseScript(await readTextFile(file), file)

/** The sessions of one client. */
class Sessions {
  private readonly sdk: Sdk
  private readonly options: ScriptedSessionOptions
  private readonly version: string
  private readonly open = new Map<string, ScriptedSession>()
  private capabilities: ClientCapabilities = {}

  constructor(sdk: Sdk, options: ScriptedSessionOptions, version: string) {
    this.sdk = sdk
    this.options = options
    this.version = version
  }

  /** @param connection Available from the first request on. */
  app(connection: () => AgentConnection): AgentApp {
    const { agent, PROTOCOL_VERSION } = this.sdk
    return agent({ name: "stepline" })
      .onRequest("initialize", ({ params }) => {
        this.capabilities = params.clientCapabilities ?? {}
        return {
          protocolVersion: PROTOCOL_VERSION,
          agentCapabilities: { sessionCapabilities: { close: {} } },
          agentInfo: { name: "stepline", version: this.version },
          authMethods: [],
        }
      })
      .onRequest("session/new", async ({ params: { cwd, mcpServers } }) => {
        if (mcpServers.length > 0) tell("The scripted agent uses none of the client's MCP servers.")
        return { sessionId: await this.start(connection(), cwd) }
      })
      .onRequest("session/prompt", async ({ params: { sessionId, prompt } }) => {
        const session = this.of(sessionId)
        if (session.isBusy)
          throw this.invalid("A turn of this session is running: cancel it, or wait for its end.")
        return { stopReason: await session.prompt(prompt) }
      })
      .onRequest("session/close", async ({ params: { sessionId } }) => {
        const session = this.of(sessionId)
        this.open.delete(sessionId)
        await session.close()
        return {}
      })
      .onNotification("session/cancel", ({ params: { sessionId } }) => this.open.get(sessionId)?.cancel())
  }

  async close(): Promise<void> {
    const all = [...this.open.values()]
    this.open.clear()
    await Promise.all(all.map((session) => session.close()))
  }

  private async start({ client }: AgentConnection, cwd: string): Promise<string> {
    const sessionId = randomUUID()
    const { capabilities } = this
    const options = { ...this.options, cwd: this.options.cwd ?? cwd }
    if (options.log !== undefined && this.open.size > 0) {
      throw this.invalid("With --log there is one session at a time: close the other one first.")
    }
    try {
      const session = { client, sessionId, capabilities }
      this.open.set(sessionId, await ScriptedSession.open(session, options, tell))
      return sessionId
    } catch (error) {
      throw error instanceof UsageError ? this.invalid(error.message) : error
    }
  }

  private of(sessionId: string): ScriptedSession {
    const session = this.open.get(sessionId)
    if (session !== undefined) return session
    throw this.sdk.RequestError.sessionNotFound(sessionId)
  }

  private invalid(message: string): RequestError {
    return this.sdk.RequestError.invalidParams(undefined, message)
  }
}

/** Serves until the client disconnects, or it is stopped. Resolves with the exit status. */
export const acpCommand = async (
  file: string | undefined,
  options: LocalOptions & PersonOptions,
  version: string,
): Promise<number> => {
  // Report an invalid name at once.
  personOf(options.as)
  const script = file === undefined ? undefined : await readScript(file)
  const loading = loadPeer("@agentclientprotocol/sdk", "2", () => import("@agentclientprotocol/sdk"))
  const sdk = await loading.catch(asUsageError())
  const sessions = new Sessions(sdk, { ...options, script }, version)
  const stopping = new Stopping()
  const stream = sdk.ndJsonStream(
    Writable.toWeb(process.stdout) as WritableStream<Uint8Array>,
    Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>,
  )
  const connection: AgentConnection = sessions.app(() => connection).connect(stream)
  try {
    await Promise.race([connection.closed, stopping.asked])
  } finally {
    await sessions.close()
    stopping.end()
  }
  return stopping.status ?? 0
}
