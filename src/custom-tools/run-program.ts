/** Runs programs for foreign tools, and keeps their output in memory, within a bound. */
import { stat } from "node:fs/promises"
import { constants } from "node:os"
import { resolve } from "node:path"
import { StringDecoder } from "node:string_decoder"
import type { EnvironmentRules } from "../io/environment.ts"
import { localProcesses, type ProcessExit } from "../io/processes.ts"
import { longestTimer } from "../pipeline/time/longest-timer.ts"
import { messageOf } from "../text/message-of.ts"
import { HeadAndTail } from "../text/truncation.ts"
import type { Exec, ExecResult } from "./exec.ts"

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

const terminated: ProcessExit = { code: null, signal: "SIGTERM" }

const codeOf = ({ code, signal }: ProcessExit): number => code ?? 128 + constants.signals[signal ?? "SIGTERM"]

const isFolder = (path: string): Promise<boolean> =>
  stat(path).then(
    (info) => info.isDirectory(),
    () => false,
  )

/** The result for a program that could not be started. Node reports a missing folder like a missing program. */
const startFailure = async (command: string, cwd: string, cause: unknown): Promise<ExecResult> => {
  const { code } = cause as NodeJS.ErrnoException
  const failed = { stdout: "", code: code === "EACCES" ? notExecutable : notFound, killed: false }
  if (!(await isFolder(cwd))) return { ...failed, stderr: `Working directory does not exist: ${cwd}` }
  if (code === "ENOENT") return { ...failed, stderr: `${command}: command not found` }
  return { ...failed, stderr: `${command}: ${messageOf(cause)}` }
}

/** Combines the caller's signal and the time-out. */
const stopAfter = (signal: unknown, timeout: unknown) => {
  const controller = new AbortController()
  const stop = () => controller.abort()
  const isTimed = typeof timeout === "number" && timeout > 0 && timeout < Number.POSITIVE_INFINITY
  const timer = isTimed ? setTimeout(stop, Math.min(timeout, longestTimer)) : undefined
  // Tools that confuse the order of arguments can pass anything here.
  const source = signal instanceof AbortSignal ? signal : undefined
  if (source?.aborted === true) stop()
  else source?.addEventListener("abort", stop, { once: true })
  const forget = () => {
    clearTimeout(timer)
    source?.removeEventListener("abort", stop)
  }
  return { signal: controller.signal, forget }
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
    const stop = stopAfter(options?.signal, options?.timeout)
    try {
      if (stop.signal.aborted) return { stdout: "", stderr: "", code: codeOf(terminated), killed: true }
      const exit = await localProcesses.run({
        command,
        args: args ?? [],
        cwd: folder,
        signal: stop.signal,
        envRules: env,
        onOutput: (stream, bytes) => (stream === "stdout" ? stdout : stderr).write(bytes),
      })
      const killed = stop.signal.aborted
      return { stdout: stdout.end(), stderr: stderr.end(), code: codeOf(exit), killed }
    } catch (cause) {
      return await startFailure(String(command), folder, cause)
    } finally {
      stop.forget()
    }
  }
