/** Runs a command line in bash, streaming what it prints. Ending it, also by a cancel, ends all that it started. */
import * as Effect from "effect/Effect"
import { type CapturedOutput, CommandOutput } from "../io/command-output.ts"
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

const findDirectory = async (
  { files }: Machine,
  context: HandlerContext,
  directory: string,
): Promise<string> => {
  const { real } = await locate(files, context, directory)
  const info = await files.stat(real)
  if (info?.kind !== "directory") throw new ToolError(`Working directory does not exist: ${directory}`)
  return real
}

const noteOf = (truncated: NonNullable<CapturedOutput["truncated"]>): string => {
  const { totalBytes, path } = truncated
  const where = path === undefined ? "The rest is lost" : `Full output: ${path}`
  return `[Output truncated: ${totalBytes} bytes in all. ${where}]`
}

const endingOf = ({ code, signal }: ProcessExit): string | undefined => {
  if (signal !== null) return `[killed by ${signal}]`
  return code === 0 ? undefined : `[exit code: ${code}]`
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

const startFailure = (cause: unknown): Step => {
  if (cause instanceof ToolError) return Step.Error(cause.message)
  const { code, message } = cause as NodeJS.ErrnoException
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

const runShell = Effect.fnUntraced(
  function* (context: HandlerContext, options: ShellOptions, machine: Machine, output: CommandOutput) {
    const { command, workingDir, timeout } = options
    const cwd = yield* abortable(() => findDirectory(machine, context, workingDir ?? context.cwd))
    const run = abortable((signal) =>
      machine.processes.run({
        command: "bash",
        args: ["-c", command],
        cwd,
        signal,
        onOutput: async (stream, bytes) => {
          const text = await output.write(stream, bytes)
          if (text !== "") await context.delta(text)
        },
      }),
    )
    const exit = yield* Effect.raceFirst(run, timeOver(context, timeout))
    const captured = yield* Effect.promise(() => output.end())
    if (exit !== undefined) return completed(captured, exit)
    const reason = `Command timed out after ${timeout ?? foregroundTimeout} s`
    return Step.Error(joinParts([reason, render(captured)]))
  },
  Effect.catch((cause) => Effect.succeed(startFailure(cause))),
)

/**
 * Outputs stdout, a `[stderr]` section, and `[exit code: N]` or `[killed by SIGNAL]` where it did not end well;
 * `(no output)` where there is nothing. What goes past 50,000 bytes is left out of the middle and kept in a file.
 * Children that the command leaves in the background go on after it has ended; a cancel or a time-out ends them too.
 */
export const Shell = (options: ShellOptions, machine: Machine = localMachine): EffectHandler =>
  handler("Shell", (context) =>
    Effect.suspend(() => {
      const output = new CommandOutput()
      // Nobody is told of the file of a call that was cancelled.
      return Effect.onInterrupt(runShell(context, options, machine, output), () =>
        Effect.promise(() => output.discard()),
      )
    }),
  )
