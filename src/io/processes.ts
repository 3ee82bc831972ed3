/**
 * Runs a command in its own process group, with an empty stdin, and streams its output. The run ends with the exit of the
 * command itself: a background child that holds the pipes open does not delay it.
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
   * Whether every link in `cwd` is resolved, and the program must start in exactly that folder: if a link has replaced a
   * part of the path, the run rejects with `ESTALE` and starts nothing. Default false.
   */
  readonly isCwdReal?: boolean
  /** The complete environment. Default: the variables of this process that `envRules` pass. */
  readonly env?: NodeJS.ProcessEnv
  /** Default: all that do not look like secrets. */
  readonly envRules?: EnvironmentRules
  /** An abort ends all processes of the run: SIGTERM, half a second later SIGKILL. */
  readonly signal?: AbortSignal
  /** Receives the output. While its promise is pending, that stream is not read. An error that it throws ends the run. */
  readonly onOutput: OnOutput
}

/** Either code or signal is null. */
export interface ProcessExit extends Exit {
  /** The processes that an abort could not end. */
  readonly leftRunning?: ReadonlyArray<LeftProcess>
}

/** How handlers run commands. `localProcesses` is this machine's implementation. */
export interface Processes {
  /**
   * Resolves once the command has exited and its output was processed; after an abort, once all its processes have ended.
   * After a normal exit, background children continue until this process ends; their output is discarded. Rejects if the
   * command cannot be started (Node's error, with its `code`), if the signal was already aborted, and with what `onOutput`
   * throws.
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
  // The pid can belong to another process by the time the run is ended.
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
   * Whether a small helper process starts the processes: the cost of a start grows with the memory of the starting process.
   * Default `auto`: if this process is large, and starts more than a few.
   */
  readonly spawnHelper?: SpawnHelperUse
}

/** Processes of this machine, with options. */
export const makeLocalProcesses = ({ spawnHelper = "auto" }: LocalProcessesOptions = {}): Processes => ({
  run: (options) => run(options, spawnHelper),
})

/** Processes of this machine. They end when this process ends, however it ends. */
export const localProcesses: Processes = makeLocalProcesses()
