/** Runs a command line in bash, streaming what it prints. Ending it, also by a cancel, ends all that it started. */
import * as Effect from "effect/Effect"
import { type CapturedOutput, CommandOutput } from "../io/command-output.ts"
import type { LeftProcess } from "../io/end-processes.ts"
import { localMachine, type Machine } from "../io/machine.ts"
import type { ProcessExit } from "../io/processes.ts"
import { type EffectHandler, type HandlerContext, handler } from "../pipeline/model/handler.ts"
import { textOutput } from "../pipeline/model/output.ts"
import { Step, ToolError } from "../pipeline/model/step.ts"
import { abortable } from "./abortable.ts"
import { locate } from "./location.ts"

export interface ShellOptions {
  readonly command: string
  /** Relative paths start at the executor's `cwd`, which is the default. */
  readonly workingDir?: string
  /** In seconds. Default 120 in the foreground, none in the background. */
  readonly timeout?: number
}

/** What `details` of its output hold. */
export interface ShellDetails {
  /** Null where a signal ended the command. */
  readonly exitCode: number | null
  readonly signal?: string
  readonly truncated?: true
  readonly fullOutputPath?: string
}

const foregroundTimeout = 120

const missing = (directory: string) => new ToolError(`Working directory does not exist: ${directory}`)

const isDirectory = async ({ files }: Machine, path: string): Promise<boolean> =>
  (await files.stat(path))?.kind === "directory"

/** The executor's own folder is taken as it is, since a look at it takes a good part of what a short command takes. */
const findDirectory = async (
  machine: Machine,
  context: HandlerContext,
  directory: string | undefined,
): Promise<string> => {
  if (directory === undefined && context.workspace === undefined) return context.cwd
  const { path, real } = await locate(machine.files, context, directory ?? context.cwd)
  if (!(await isDirectory(machine, real))) throw missing(path)
  return real
}

const noteOf = (truncated: NonNullable<CapturedOutput["truncated"]>): string => {
  const { totalBytes, path, droppedBytes } = truncated
  const kept = droppedBytes === undefined ? "Full output" : `All but ${droppedBytes} bytes of its middle`
  const where = path === undefined ? "The rest is lost" : `${kept}: ${path}`
  return `[Output truncated: ${totalBytes} bytes in all. ${where}]`
}

const endingOf = ({ code, signal }: ProcessExit): string | undefined => {
  if (signal !== null) return `[killed by ${signal}]`
  return code === 0 ? undefined : `[exit code: ${code}]`
}

const leftNoteOf = (left: ReadonlyArray<LeftProcess>): string | undefined => {
  if (left.length === 0) return undefined
  const names = left.map(({ pid, name }) => `${pid} (${name})`)
  return `[Could not be ended and is left running: ${names.join(", ")}]`
}

/** The parts that are there, each on lines of its own. */
const joinParts = (parts: ReadonlyArray<string | undefined>): string =>
  parts.reduce<string>((text, part) => {
    if (part === undefined || part === "") return text
    return text === "" || text.endsWith("\n") ? text + part : `${text}\n${part}`
  }, "")

const render = ({ stdout, stderr, truncated }: CapturedOutput, exit?: ProcessExit): string =>
  joinParts([
    stdout,
    stderr === "" ? undefined : `[stderr]\n${stderr}`,
    truncated && noteOf(truncated),
    exit && endingOf(exit),
  ])

const completed = (output: CapturedOutput, exit: ProcessExit): Step => {
  const { truncated } = output
  const details: ShellDetails = {
    exitCode: exit.code,
    ...(exit.signal !== null && { signal: exit.signal }),
    ...(truncated !== undefined && { truncated: true }),
    ...(truncated?.path !== undefined && { fullOutputPath: truncated.path }),
  }
  return Step.Output({ ...textOutput(render(output, exit) || "(no output)"), details })
}

/** Why a command was ended: the one place to say so, once steps can carry it, as `reason: "timeout"`. */
const timedOut = (seconds: number, output: CapturedOutput, left: ReadonlyArray<LeftProcess>): Step =>
  Step.Error(joinParts([`Command timed out after ${seconds} s`, render(output), leftNoteOf(left)]))

/** A folder that is not there is told like a program that is not. */
const startFailure = async (cause: unknown, machine: Machine, { cwd }: HandlerContext): Promise<Step> => {
  if (cause instanceof ToolError) return Step.Error(cause.message)
  const { code, message } = cause as NodeJS.ErrnoException
  if (!(await isDirectory(machine, cwd).catch(() => true))) return Step.Error(missing(cwd).message, { cause })
  const reason =
    code === "ENOENT"
      ? "bash was not found on the PATH."
      : code === "E2BIG"
        ? "the command is too long. Write it to a script file and run that."
        : message
  return Step.Error(`Cannot run the command: ${reason}`, { cause })
}

/** Ends when the time is over. A call that was moved to the background meanwhile has no time but its own. */
const timeOver = (context: HandlerContext, timeout: number | undefined): Effect.Effect<void> => {
  const isUnlimited = () => timeout === undefined && context.call.background
  if (isUnlimited()) return Effect.never
  return Effect.flatMap(Effect.sleep((timeout ?? foregroundTimeout) * 1000), () =>
    isUnlimited() ? Effect.never : Effect.void,
  )
}

/** A run's output, and what of it was left running, for whoever ends it. */
class Run {
  readonly output = new CommandOutput()
  leftRunning: ReadonlyArray<LeftProcess> = []
}

const runShell = Effect.fnUntraced(
  function* (context: HandlerContext, options: ShellOptions, machine: Machine, run: Run) {
    const { command, workingDir, timeout } = options
    const cwd = yield* abortable(() => findDirectory(machine, context, workingDir))
    const process = abortable(async (signal) => {
      const exit = await machine.processes.run({
        command: "bash",
        args: ["-c", command],
        cwd,
        signal,
        ...(machine.env !== undefined && { envRules: machine.env }),
        onOutput: async (stream, bytes) => {
          const text = await run.output.write(stream, bytes)
          if (text !== "") await context.delta(text)
        },
      })
      run.leftRunning = exit.leftRunning ?? []
      return exit
    })
    const exit = yield* Effect.raceFirst(process, timeOver(context, timeout))
    const captured = yield* Effect.promise(() => run.output.end())
    if (exit !== undefined) return completed(captured, exit)
    return timedOut(timeout ?? foregroundTimeout, captured, run.leftRunning)
  },
  (run, context, _options, machine) =>
    Effect.catch(run, (cause) => Effect.promise(() => startFailure(cause, machine, context))),
)

/** Nobody is told of the file of a call that was cancelled. What could not be ended is reported as a failed cleanup. */
const cancelled = async ({ output, leftRunning }: Run): Promise<void> => {
  await output.discard()
  const note = leftNoteOf(leftRunning)
  if (note !== undefined) throw new Error(note)
}

/** The work of `Shell`, as one step. */
export const shellStep = (
  context: HandlerContext,
  options: ShellOptions,
  machine: Machine,
): Effect.Effect<Step> =>
  Effect.suspend(() => {
    const run = new Run()
    return Effect.onInterrupt(runShell(context, options, machine, run), () =>
      Effect.promise(() => cancelled(run)),
    )
  })

/**
 * Outputs stdout, a `[stderr]` section, and `[exit code: N]` or `[killed by SIGNAL]` where it did not end well;
 * `(no output)` where there is nothing. What goes past 50,000 bytes is left out of the middle and kept in a file.
 * Children that the command leaves in the background go on after it has ended, until the host ends; a cancel or a
 * time-out ends all that it started, daemons too, and names what it could not.
 */
export const Shell = (options: ShellOptions, machine: Machine = localMachine): EffectHandler =>
  handler("Shell", (context) => shellStep(context, options, machine))
