/**
 * Runs a command in a process group of its own, with nothing on stdin, and hands its output on as it comes.
 * The end of the run is the command's own exit: a background child that holds its pipes open does not delay it.
 */
import { spawn } from "node:child_process"
import { type OnOutput, PipeReader } from "./pipe-reader.ts"
import { endProcessGroup } from "./process-group.ts"

export interface ProcessOptions {
  /** The program, looked up on PATH. */
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Absolute. */
  readonly cwd: string
  /** Default: this process's own. */
  readonly env?: NodeJS.ProcessEnv
  /** Aborting ends the whole process group: SIGTERM, half a second later SIGKILL. */
  readonly signal?: AbortSignal
  /** Takes the output. While its promise is pending, that stream is not read. A failure of it ends the run. */
  readonly onOutput: OnOutput
}

/** One of the two is null. */
export interface ProcessExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

export interface Processes {
  /**
   * Resolves once the command has exited and what it wrote was taken; after an abort, once its group is gone.
   * Background children go on after a normal exit, their output discarded. Rejects where the command cannot be
   * started (Node's error, with its `code`), where the signal was aborted before, and with what `onOutput` threw.
   */
  run(options: ProcessOptions): Promise<ProcessExit>
}

const run = async (options: ProcessOptions): Promise<ProcessExit> => {
  const { command, args, cwd, env, signal, onOutput } = options
  signal?.throwIfAborted()
  const child = spawn(command, args, { cwd, env, detached: true, stdio: ["ignore", "pipe", "pipe"] })
  const exited = new Promise<ProcessExit>((resolve, reject) => {
    child.once("error", reject)
    child.once("exit", (code, signal) => resolve({ code, signal }))
  })
  const reader = new PipeReader(child, onOutput)
  let failure: { readonly cause: unknown } | undefined
  let stop = () => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  signal?.addEventListener("abort", stop, { once: true })
  reader.done.catch((cause: unknown) => {
    failure = { cause }
    stop()
  })
  try {
    await Promise.race([exited.then(() => reader.drain()), stopped])
    if (failure === undefined && signal?.aborted !== true) {
      reader.discard()
    } else if (child.pid !== undefined) {
      await endProcessGroup(child.pid)
      await reader.endsInTime()
      reader.close()
    }
    if (failure !== undefined) throw failure.cause
    return await exited
  } finally {
    signal?.removeEventListener("abort", stop)
  }
}

/** Processes of this machine. */
export const localProcesses: Processes = { run }
