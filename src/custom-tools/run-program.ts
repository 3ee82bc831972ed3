/** Runs programs for foreign tools, and keeps their output in memory, within a bound. */
import { resolve } from "node:path"
import { StringDecoder } from "node:string_decoder"
import type { EnvironmentRules } from "../io/environment.ts"
import { exitStatus, statusOfSignal } from "../io/exit-status.ts"
import { localProcesses } from "../io/processes.ts"
import { whenAborted } from "../model/when-aborted.ts"
import { longestTimer } from "../pipeline/time/longest-timer.ts"
import { messageOf } from "../text/message-of.ts"
import { HeadAndTail } from "../text/truncation.ts"
import { kindOf } from "./loading/folder-entries.ts"

/** Runs a program for a foreign tool. */
export interface ExecOptions {
  readonly signal?: AbortSignal | undefined
  /** Milliseconds. Default: no limit. */
  readonly timeout?: number | undefined
  /** Default: the agent's working directory. */
  readonly cwd?: string | undefined
}

/** The result of a program that a tool ran with `exec`. */
export interface ExecResult {
  readonly stdout: string
  readonly stderr: string
  /** 127 for a program that does not exist. */
  readonly code: number
  /** Whether it was ended by an abort or by its time-out. */
  readonly killed: boolean
}

/** Runs a program without a shell, with an empty stdin. Never rejects because of how the program ended. */
export type Exec = (command: string, args: Array<string>, options?: ExecOptions) => Promise<ExecResult>

/** Maximum bytes of each stream. Tools parse the output, so the bound is far above what programs usually print. */
const maxStreamBytes = 10_000_000
const notFound = 127
const notExecutable = 126

class StreamText {
  private readonly decoder = new StringDecoder("utf8")
  private readonly text = new HeadAndTail(maxStreamBytes)

  write(bytes: Uint8Array): void {
    this.text.push(this.decoder.write(bytes as Buffer))
  }

  end(): string {
    this.text.push(this.decoder.end())
    return this.text.render(maxStreamBytes)
  }
}

/** The result for a program that could not be started. Node reports a missing folder like a missing program. */
const startFailure = async (command: string, cwd: string, cause: unknown): Promise<ExecResult> => {
  const { code } = cause as NodeJS.ErrnoException
  const failed = { stdout: "", code: code === "EACCES" ? notExecutable : notFound, killed: false }
  if ((await kindOf(cwd)) !== "folder")
    return { ...failed, stderr: `Working directory does not exist: ${cwd}` }
  if (code === "ENOENT") return { ...failed, stderr: `${command}: command not found` }
  return { ...failed, stderr: `${command}: ${messageOf(cause)}` }
}

/**
 * Makes an `exec`, without a shell and with an empty stdin. It never rejects: a program that cannot be started has the code
 * 127 (126 if it is not executable) and the reason in `stderr`; one that a signal ended has 128 plus the signal's number. An
 * abort or a time-out ends the whole process group and sets `killed`. Each stream is kept up to 10 MB; above that, its
 * middle is omitted.
 *
 * @param cwd The default folder of programs, and the base of relative ones.
 * @param env Which environment variables of this process they get. Default: all that do not look like secrets.
 */
export const makeExec =
  (cwd: string | (() => string), env: EnvironmentRules = {}): Exec =>
  async (command, args, options) => {
    const base = typeof cwd === "function" ? cwd() : cwd
    const folder = typeof options?.cwd === "string" ? resolve(base, options.cwd) : resolve(base)
    const stdout = new StreamText()
    const stderr = new StreamText()
    const { signal, timeout } = options ?? {}
    const isTimed = typeof timeout === "number" && timeout > 0 && timeout < Number.POSITIVE_INFINITY
    const run = async (stopped: AbortSignal): Promise<ExecResult> => {
      if (stopped.aborted) return { stdout: "", stderr: "", code: statusOfSignal("SIGTERM"), killed: true }
      const exit = await localProcesses.run({
        command,
        args: args ?? [],
        cwd: folder,
        signal: stopped,
        envRules: env,
        onOutput: (stream, bytes) => (stream === "stdout" ? stdout : stderr).write(bytes),
      })
      const killed = stopped.aborted
      return { stdout: stdout.end(), stderr: stderr.end(), code: exitStatus(exit), killed }
    }
    try {
      // Tools that confuse the order of arguments can pass anything here.
      const source = signal instanceof AbortSignal ? signal : undefined
      return await untilStopped(source, isTimed ? timeout : undefined, run)
    } catch (cause) {
      return await startFailure(String(command), folder, cause)
    }
  }

/**
 * Runs `work` with a signal that aborts with the caller's signal, and when the time is over: any number of milliseconds, fractions
 * too. Neither outlives the work.
 */
export const untilStopped = async <T>(
  signal: AbortSignal | undefined,
  milliseconds: number | undefined,
  work: (stopped: AbortSignal) => Promise<T>,
): Promise<T> => {
  const controller = new AbortController()
  const stop = () => controller.abort()
  if (signal?.aborted === true) stop()
  const release = signal && whenAborted(signal, stop)
  const timer =
    milliseconds === undefined ? undefined : setTimeout(stop, Math.min(milliseconds, longestTimer))
  try {
    return await work(controller.signal)
  } finally {
    clearTimeout(timer)
    release?.()
  }
}
