/**
 * Runs a command in a process group of its own, with nothing on stdin, and hands its output on as it comes.
 * The end of the run is the command's own exit: a background child that holds its pipes open does not delay it.
 */
import { endProcesses, type LeftProcess } from "./end-processes.ts"
import { type EnvironmentRules, environmentFor } from "./environment.ts"
import { type OnOutput, PipeReader } from "./pipe-reader.ts"
import { pipesOf, startTimeOf } from "./process-table.ts"
import { reaper } from "./reaper.ts"
import { addMark, newMark } from "./run-marker.ts"
import { startInRealFolder } from "./start-in-real-folder.ts"
import { type SpawnHelperUse, startProcess } from "./start-process.ts"
import type { Exit } from "./started-process.ts"

/** A command to run. */
export interface ProcessOptions {
  /** The program, looked up on PATH. */
  readonly command: string
  readonly args: ReadonlyArray<string>
  /** Absolute. */
  readonly cwd: string
  /**
   * Whether every link in `cwd` is resolved, and the program may start in no other folder: where a link has taken the place
   * of a part of it since, it is not started, and the run rejects with `ESTALE`. Default false.
   */
  readonly isCwdReal?: boolean
  /** All variables. Default: those of this process that `envRules` pass. */
  readonly env?: NodeJS.ProcessEnv
  /** Default: all that do not look like secrets. */
  readonly envRules?: EnvironmentRules
  /** Aborting ends all that the run has started: SIGTERM, half a second later SIGKILL. */
  readonly signal?: AbortSignal
  /** Takes the output. While its promise is pending, that stream is not read. A failure of it ends the run. */
  readonly onOutput: OnOutput
}

/** Either code or signal is null. */
export interface ProcessExit extends Exit {
  /** What an abort could not end. */
  readonly leftRunning?: ReadonlyArray<LeftProcess>
}

/** How handlers run commands. `localProcesses` are those of this machine. */
export interface Processes {
  /**
   * Resolves once the command has exited and what it wrote was taken; after an abort, once all that it started is gone.
   * Background children go on after a normal exit, their output discarded, until this process ends. Rejects where the
   * command cannot be started (Node's error, with its `code`), where the signal was aborted before, and with what
   * `onOutput` threw.
   */
  run(options: ProcessOptions): Promise<ProcessExit>
}

const ignore = () => {}

const run = async (options: ProcessOptions, use: SpawnHelperUse): Promise<ProcessExit> => {
  const { command, args, cwd, isCwdReal, env, envRules, signal, onOutput } = options
  signal?.throwIfAborted()
  const mark = newMark()
  const markedEnv = addMark(env === undefined ? environmentFor(envRules) : { ...env }, mark)
  const start = isCwdReal === true ? startInRealFolder : startProcess
  const child = await start({ command, args, cwd, env: markedEnv }, use)
  const { pid } = child
  const pipes = pid === undefined ? [] : pipesOf(pid)
  // Its number may be another's by the time that the run is to be ended.
  const startTime = pid === undefined ? undefined : startTimeOf(pid)
  const reader = new PipeReader(child, onOutput)
  reaper.watchPipes(pipes, reader.done)
  const leave = reaper.watch(pid)
  let failure: { readonly cause: unknown } | undefined
  let stop = () => {}
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const fail = (cause: unknown) => {
    failure ??= { cause }
    stop()
  }
  if (signal?.aborted === true) stop()
  else signal?.addEventListener("abort", stop, { once: true })
  reader.done.catch(fail)
  child.exited.catch(fail)
  let leftRunning: ReadonlyArray<LeftProcess> = []
  try {
    await Promise.race([child.exited.then(() => reader.drain(), ignore), stopped])
    if (failure === undefined && signal?.aborted !== true) {
      reader.discard()
    } else if (pid !== undefined) {
      leftRunning = await endProcesses({ leader: pid, startTime, mark, pipes })
      await reader.endsInTime()
      reader.close()
    }
    if (failure !== undefined) throw failure.cause
    const exit = await child.exited
    return leftRunning.length === 0 ? exit : { ...exit, leftRunning }
  } finally {
    signal?.removeEventListener("abort", stop)
    leave()
  }
}

/** The options of `makeLocalProcesses`. */
export interface LocalProcessesOptions {
  /**
   * Whether processes are started from a small process beside this one: the cost of a start grows with the memory of who
   * starts. Default `auto`: where this process is large, and starts more than a few.
   */
  readonly spawnHelper?: SpawnHelperUse
}

/** Processes of this machine, with options. */
export const makeLocalProcesses = ({ spawnHelper = "auto" }: LocalProcessesOptions = {}): Processes => ({
  run: (options) => run(options, spawnHelper),
})

/** Processes of this machine. They end when this process ends, however it does. */
export const localProcesses: Processes = makeLocalProcesses()
