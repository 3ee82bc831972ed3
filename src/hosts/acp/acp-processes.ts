/** Processes that run in the client's terminals, where its user watches them. */
import { setTimeout as delay } from "node:timers/promises"
import type {
  CreateTerminalResponse,
  EnvVariable,
  TerminalOutputResponse,
  WaitForTerminalExitResponse,
} from "@agentclientprotocol/sdk"
import { environmentFor } from "../../io/environment.ts"
import type { Files } from "../../io/files.ts"
import type { ProcessExit, Processes, ProcessOptions } from "../../io/processes.ts"
import type { AcpSession } from "./client.ts"
import { runningCall } from "./running-call.ts"
import { TerminalText } from "./terminal-text.ts"

/** How many bytes of its output a terminal keeps. */
const outputByteLimit = 1 << 20

/** Milliseconds between two polls of the output: the first interval, and the longest. */
const firstLook = 50
const longestLook = 1000

/** Milliseconds that a killed command may take to end, before its terminal is released. */
const killGrace = 3000

const ignore = () => {}

/**
 * How a command's environment differs from the client's, which is assumed to be this process's: a client starts its agents.
 * Variables that are passed by name may have been set only for the agent. A terminal cannot unset a variable, so one that
 * commands must not see is set to the empty string.
 */
const variables = ({ env, envRules }: ProcessOptions): Array<EnvVariable> => {
  const wanted = env ?? environmentFor(envRules)
  const named = new Set(envRules?.pass)
  const changed = Object.entries(wanted).filter(
    ([name, value]) => value !== process.env[name] || named.has(name),
  )
  const withheld = Object.keys(process.env).filter((name) => wanted[name] === undefined)
  return [
    ...changed.map(([name, value = ""]) => ({ name, value })),
    ...withheld.map((name) => ({ name, value: "" })),
  ]
}

const stale = (cwd: string): Error =>
  Object.assign(new Error(`ESTALE: ${cwd} was moved, or a part of it replaced by a link`), { code: "ESTALE" })

/** A terminal of the client that runs one command. */
class Terminal {
  readonly id: string
  private readonly session: AcpSession

  private constructor(session: AcpSession, id: string) {
    this.session = session
    this.id = id
  }

  static async create(session: AcpSession, options: ProcessOptions): Promise<Terminal> {
    const { client, sessionId } = session
    const { command, args, cwd } = options
    const env = variables(options)
    const made = await client.request("terminal/create", {
      sessionId,
      command,
      args,
      cwd,
      env,
      outputByteLimit,
    })
    const { terminalId } = made as Partial<CreateTerminalResponse>
    if (typeof terminalId === "string") return new Terminal(session, terminalId)
    throw new Error("The ACP client gave no id for the terminal that it was asked for")
  }

  async output(): Promise<string> {
    const { output } = (await this.request("terminal/output")) as Partial<TerminalOutputResponse>
    return typeof output === "string" ? output : ""
  }

  async exit(): Promise<WaitForTerminalExitResponse> {
    return (await this.request("terminal/wait_for_exit")) as WaitForTerminalExitResponse
  }

  /** Never rejects. */
  async kill(): Promise<void> {
    await this.request("terminal/kill").catch(ignore)
  }

  /** Ends what still runs in the terminal. Its output stays on the client's screen. Never rejects. */
  async release(): Promise<void> {
    await this.request("terminal/release").catch(ignore)
  }

  private request(method: string): Promise<unknown> {
    const { client, sessionId } = this.session
    return client.request(method, { sessionId, terminalId: this.id })
  }
}

/** Passes the output on until the command has ended. */
const follow = async (
  terminal: Terminal,
  exited: Promise<WaitForTerminalExitResponse>,
  onOutput: ProcessOptions["onOutput"],
): Promise<WaitForTerminalExitResponse> => {
  const text = new TerminalText()
  for (let look = firstLook; ; look = Math.min(look * 2, longestLook)) {
    const waiting = new AbortController()
    const elapsed = delay(look, undefined, { signal: waiting.signal }).catch(ignore)
    const exit = await Promise.race([exited, elapsed])
    waiting.abort()
    const added = text.next(await terminal.output(), exit !== undefined)
    if (added !== "") await onOutput("stdout", Buffer.from(added))
    if (exit !== undefined) return exit
  }
}

/** Resolves some time after the abort, for a command that has not ended by then. */
const afterGrace = (signal: AbortSignal | undefined): Promise<WaitForTerminalExitResponse> =>
  new Promise((resolve) => {
    const give = () => setTimeout(() => resolve({ signal: "SIGKILL" }), killGrace).unref()
    if (signal?.aborted) give()
    else signal?.addEventListener("abort", give, { once: true })
  })

/** Processes in the terminals of a client. `files` checks whether a folder is still the expected one. */
export class AcpProcesses implements Processes {
  private readonly session: AcpSession
  private readonly files: Files

  constructor(session: AcpSession, files: Files) {
    this.session = session
    this.files = files
  }

  async run(options: ProcessOptions): Promise<ProcessExit> {
    const { cwd, isCwdReal, signal, onOutput } = options
    signal?.throwIfAborted()
    if (isCwdReal === true && (await this.files.resolveLinks(cwd)) !== cwd) throw stale(cwd)
    const terminal = await Terminal.create(this.session, options)
    runningCall.getStore()?.addTerminal(terminal.id)
    const kill = () => void terminal.kill()
    signal?.addEventListener("abort", kill, { once: true })
    try {
      if (signal?.aborted) kill()
      const exited = Promise.race([terminal.exit(), afterGrace(signal)])
      const { exitCode = null, signal: ended = null } = await follow(terminal, exited, onOutput)
      return { code: exitCode, signal: ended as NodeJS.Signals | null }
    } finally {
      signal?.removeEventListener("abort", kill)
      await terminal.release()
    }
  }
}
