/** Runs a command line in bash, and streams its output. Ending it, also by a cancel, ends all processes that it started. */
import * as Effect from "effect/Effect"
import type { Fiber } from "effect/Fiber"
import { type CapturedOutput, CommandOutput } from "../io/command-output.ts"
import type { LeftProcess } from "../io/end-processes.ts"
import { localMachine, type Machine } from "../io/machine.ts"
import type { ProcessExit } from "../io/processes.ts"
import { removeSpillFile } from "../io/spill-file.ts"
import { type EffectHandler, type HandlerContext, handler } from "../model/handler.ts"
import { Step, ToolError } from "../model/step.ts"
import { textOutput } from "../output/output.ts"
import { commandBegins } from "./command-changes.ts"
import { locate } from "./location.ts"

/** Which command to run, where, and for how long. */
export interface ShellOptions {
  readonly command: string
  /** Relative paths start at the executor's `cwd`, which is the default. */
  readonly workingDir?: string
  /** In seconds. Default 120 in the foreground, none in the background. */
  readonly timeout?: number
}

/** The `details` of its output. */
export interface ShellDetails {
  /** Null if a signal ended the command. */
  readonly exitCode: number | null
  readonly signal?: string
  readonly truncated?: true
  readonly fullOutputPath?: string
}

const foregroundTimeout = 120

const missing = (directory: string) => new ToolError(`Working directory does not exist: ${directory}`)

const led = (directory: string, approved: string) =>
  new ToolError(
    `${directory} does not lead to ${approved} any more, which a rule approved. Nothing was run. Call it again to have it decided anew.`,
  )

const moved = (directory: string): string =>
  `The working directory ${directory} was moved, or replaced by a link, while the command was about to start. Nothing was run. Call it again.`

const isDirectory = async ({ files }: Machine, path: string): Promise<boolean> =>
  (await files.stat(path))?.kind === "directory"

const findDirectory = async (
  machine: Machine,
  context: HandlerContext,
  directory: string | undefined,
): Promise<string> => {
  const { path, real } = await locate(machine.files, context, directory ?? context.cwd)
  const approved = context.decidedBy?.folder
  if (approved !== undefined && approved !== real) throw led(path, approved)
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

/** Joins the non-empty parts, each on its own lines. */
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

const timedOut = (seconds: number, output: CapturedOutput, left: ReadonlyArray<LeftProcess>): Step =>
  Step.Error(`Command timed out after ${seconds} s`, {
    reason: "timeout",
    output: joinParts([render(output), leftNoteOf(left)]),
  })

/** Describes a failed start. Node reports a missing folder like a missing program. */
const startFailure = async (
  cause: unknown,
  machine: Machine,
  { cwd }: HandlerContext,
  { workingDir = cwd }: ShellOptions,
): Promise<Step> => {
  if (cause instanceof ToolError) return Step.Error(cause.message)
  const { code, message } = cause as NodeJS.ErrnoException
  if (code === "ESTALE") return Step.Error(moved(workingDir), { cause })
  if (!(await isDirectory(machine, cwd).catch(() => true))) return Step.Error(missing(cwd).message, { cause })
  const reason =
    code === "ENOENT"
      ? "bash was not found on the PATH."
      : code === "E2BIG"
        ? "the command is too long. Write it to a script file and run that."
        : message
  return Step.Error(`Cannot run the command: ${reason}`, { cause })
}

/**
 * A running command. It starts at once; what can wait, such as the timer, is set up while it runs, because that time matters
 * for a short command.
 */
class CommandRun {
  private readonly context: HandlerContext
  private readonly options: ShellOptions
  private readonly machine: Machine
  private readonly output = new CommandOutput()
  private readonly stop = new AbortController()
  private readonly seconds: number
  private isTimeOver = false
  private leftRunning: ReadonlyArray<LeftProcess> = []
  private ended: Promise<Step> | undefined

  constructor(context: HandlerContext, options: ShellOptions, machine: Machine) {
    this.context = context
    this.options = options
    this.machine = machine
    this.seconds = options.timeout ?? foregroundTimeout
  }

  /** A background call has no default time-out, also if it was moved to the background later. */
  private get isUnlimited(): boolean {
    return this.options.timeout === undefined && this.context.call.background
  }

  /** Undefined if there is no time-out. */
  get timeout(): Effect.Effect<void> | undefined {
    if (this.isUnlimited) return undefined
    return Effect.map(Effect.sleep(this.seconds * 1000), () => {
      if (this.isUnlimited) return
      this.isTimeOver = true
      this.stop.abort()
    })
  }

  /** Starts the command. Never rejects. */
  begin(): Promise<Step> {
    this.ended = this.step()
    return this.ended
  }

  /** Ends the command, and removes its output file, which nobody will know about. Throws if processes could not be ended. */
  async cancel(): Promise<void> {
    this.stop.abort()
    await this.ended
    await this.output.discard()
    const note = leftNoteOf(this.leftRunning)
    if (note !== undefined) throw new Error(note)
  }

  private async step(): Promise<Step> {
    const { context, machine } = this
    try {
      const exit = await this.execute()
      if (!this.isTimeOver) return completed(await this.captured(), exit)
    } catch (cause) {
      if (!this.isTimeOver) return startFailure(cause, machine, context, this.options)
    }
    return timedOut(this.seconds, await this.captured(), this.leftRunning)
  }

  /** The output. The executor removes its file at shutdown, since only the executor's users know about it. */
  private async captured(): Promise<CapturedOutput> {
    const output = await this.output.end()
    const path = output.truncated?.path
    if (path !== undefined) this.context.onShutdown(() => removeSpillFile(path))
    return output
  }

  private async execute(): Promise<ProcessExit> {
    const { context, machine, output } = this
    const { command, workingDir } = this.options
    // The executor's own folder is not checked: that would take a good part of the time of a short command.
    const isOwn = workingDir === undefined && context.workspace === undefined
    const cwd = isOwn ? context.cwd : await findDirectory(machine, context, workingDir)
    const exit = await machine.processes.run({
      command: "bash",
      args: ["-c", command],
      cwd,
      isCwdReal: !isOwn,
      signal: this.stop.signal,
      ...(machine.env !== undefined && { envRules: machine.env }),
      onOutput: async (stream, bytes) => {
        const text = await output.write(stream, bytes)
        if (text !== "") await context.delta(text)
      },
    })
    this.leftRunning = exit.leftRunning ?? []
    return exit
  }
}

const stepOf = (run: CommandRun): Effect.Effect<Step> =>
  Effect.suspend(() => {
    const ended = run.begin()
    const { timeout } = run
    const step = (timer?: Fiber<void>) =>
      Effect.callback<Step>((resume) => {
        void ended.then((step) => {
          timer?.interruptUnsafe()
          resume(Effect.succeed(step))
        })
      })
    return timeout === undefined ? step() : Effect.flatMap(Effect.forkChild(timeout), step)
  })

/** The work of `Shell`, as one step. */
export const shellStep = (
  context: HandlerContext,
  options: ShellOptions,
  machine: Machine,
): Effect.Effect<Step> =>
  Effect.suspend(() => {
    const run = new CommandRun(context, options, machine)
    return Effect.onInterrupt(stepOf(run), () => Effect.promise(() => run.cancel()))
  })

/**
 * Outputs stdout, a `[stderr]` section, and `[exit code: N]` or `[killed by SIGNAL]` if it failed; `(no output)` if there is
 * none. Over 50,000 bytes, the middle is omitted, and everything is kept in a file until the executor is shut down.
 * Background children continue after the command has ended, until the host ends; a cancel or a time-out ends all processes
 * that it started, also daemons, and names those that it could not end.
 */
export const Shell = (options: ShellOptions, machine: Machine = localMachine): EffectHandler =>
  handler(
    "Shell",
    (context) => {
      const begins = commandBegins(context, machine.files, options.command)
      const step = shellStep(context, options, machine)
      if (begins === undefined) return step
      return Effect.flatMap(
        Effect.promise(() => begins),
        (compare) => Effect.ensuring(step, Effect.promise(compare)),
      )
    },
    { retry: "never" },
  )
