/** What stops a command early: signals, a closed output (`| head`), a defect. */
import { statusOfSignal } from "../io/exit-status.ts"
import { writeFault } from "../io/file-fault.ts"
import { tell } from "./tell.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** Milliseconds within which a second signal counts as the first one: npm forwards a signal that the terminal has already sent. */
const echo = 500

/** Whether the output has lost its reader, which is not a fault of the command. */
const isGone = ({ code }: NodeJS.ErrnoException): boolean => code === "EPIPE" || code === "EIO"

/** However the process ends, reports output that could not be written, and sets a failure status. */
export const tellLostOutput = (): void => {
  // Without a listener, the error would be thrown; commands with something to stop add their own.
  process.stdout.on("error", () => {})
  process.once("exit", () => {
    const { errored } = process.stdout
    if (errored === null || isGone(errored)) return
    tell(`the output cannot be written: ${writeFault(errored)}`)
    process.exitCode ||= 1
  })
}

/**
 * Calls `stop` once, with the exit status, on a signal, when standard output loses its reader, or when the program itself
 * fails: what it started must not outlive it. A second, later signal ends the process. Returns a function that stops
 * listening.
 */
export const onStop = (stop: (exitStatus: number) => void): (() => void) => {
  let isStopping = false
  const once = (exitStatus: number) => {
    if (isStopping) return
    isStopping = true
    stop(exitStatus)
  }
  let firstSignal = 0
  const onSignal = (signal: NodeJS.Signals) => {
    if (firstSignal === 0) firstSignal = Date.now()
    // A user who asks again does not want to wait for the cleanup.
    else if (Date.now() - firstSignal > echo) process.exit(statusOfSignal(signal))
    once(statusOfSignal(signal))
  }
  const onDefect = (error: unknown) => {
    // Print the error last, when the terminal is restored.
    process.once("exit", () => process.stderr.write(`${error instanceof Error ? error.stack : error}\n`))
    once(1)
  }
  const onOutputError = (error: NodeJS.ErrnoException) => {
    once(isGone(error) ? statusOfSignal("SIGPIPE") : 1)
  }
  for (const signal of signals) process.on(signal, onSignal)
  process.on("uncaughtException", onDefect)
  // Never removed: an EPIPE can still occur when everything else has ended.
  process.stdout.on("error", onOutputError)
  return () => {
    for (const signal of signals) process.off(signal, onSignal)
    process.off("uncaughtException", onDefect)
  }
}

/** A command's request to stop. Create it when the command begins; the command calls `end`. */
export class Stopping {
  /** The exit status; undefined until the command is asked to end. */
  status: number | undefined
  readonly asked: Promise<void>
  /** Stops listening. */
  readonly end: () => void
  private readonly stops = new AbortController()

  constructor() {
    this.asked = new Promise((resolve) => this.signal.addEventListener("abort", () => resolve()))
    this.end = onStop((status) => this.stop(status))
  }

  /** Asks the command to end, as a signal does. The first call determines the status. */
  stop(status: number): void {
    this.status ??= status
    this.stops.abort()
  }

  /** Aborted once the command is asked to end. */
  get signal(): AbortSignal {
    return this.stops.signal
  }
}
