/** What ends a command before its time: signals, a reader of the output that has gone (`| head`), a defect. */
import { constants } from "node:os"
import { writeFault } from "../io/file-fault.ts"
import { tell } from "./tell.ts"

const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const

/** The exit status of a process that a signal ended. */
export const statusOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal]

/** Milliseconds in which a second signal is the first one again: npm sends on what the terminal has sent already. */
const echo = 500

/** Whether the output has no reader any more, which is none of the command's faults. */
const isGone = ({ code }: NodeJS.ErrnoException): boolean => code === "EPIPE" || code === "EIO"

/** However the process ends: output that could not be written is told, and a failure. */
export const tellLostOutput = (): void => {
  // Whoever has something to stop listens besides.
  process.stdout.on("error", () => {})
  process.once("exit", () => {
    const { errored } = process.stdout
    if (errored === null || isGone(errored)) return
    tell(`the output cannot be written: ${writeFault(errored)}`)
    process.exitCode ||= 1
  })
}

/**
 * Calls `stop` once, with the exit status that is due, when a signal comes, standard output has no reader any more,
 * or the program itself fails: what it started must not outlive it. A second signal, a moment later, ends the process.
 * Gives a function that stops listening.
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
    // Whoever asks again does not want to wait for what is cleaned up.
    else if (Date.now() - firstSignal > echo) process.exit(statusOf(signal))
    once(statusOf(signal))
  }
  const onDefect = (error: unknown) => {
    // Told at the very end, when the terminal is the shell's again.
    process.once("exit", () => process.stderr.write(`${error instanceof Error ? error.stack : error}\n`))
    once(1)
  }
  const onOutputError = (error: NodeJS.ErrnoException) => {
    once(isGone(error) ? statusOf("SIGPIPE") : 1)
  }
  for (const signal of signals) process.on(signal, onSignal)
  process.on("uncaughtException", onDefect)
  // Stays: an EPIPE may still come when everything else has ended.
  process.stdout.on("error", onOutputError)
  return () => {
    for (const signal of signals) process.off(signal, onSignal)
    process.off("uncaughtException", onDefect)
  }
}

/** What asks a command to end, kept: made when it begins, and ended by it. */
export class Stopping {
  /** The exit status that is due; undefined while the command was not asked to end. */
  status: number | undefined
  readonly asked: Promise<void>
  /** Stops listening. */
  readonly end: () => void
  private readonly stops = new AbortController()

  constructor() {
    this.asked = new Promise((resolve) => this.signal.addEventListener("abort", () => resolve()))
    this.end = onStop((status) => this.stop(status))
  }

  /** Asks the command to end, as a signal does. The first to ask says with which status. */
  stop(status: number): void {
    this.status ??= status
    this.stops.abort()
  }

  /** Aborted once the command was asked to end. */
  get signal(): AbortSignal {
    return this.stops.signal
  }
}
