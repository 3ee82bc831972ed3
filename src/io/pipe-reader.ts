/** Passes on what a child prints, one chunk of each pipe at a time: while a chunk is being processed, its pipe is not read. */
import { setImmediate as turn } from "node:timers/promises"
import type { StartedProcess } from "./started-process.ts"

/** The stream that a command printed to. */
export type OutputStream = "stdout" | "stderr"

/** Receives what a command prints, chunk by chunk. While its promise is pending, that stream is not read. */
export type OnOutput = (stream: OutputStream, bytes: Uint8Array) => void | Promise<void>

/** How long the pipes can stay open after the exit, in milliseconds, for commands such as `cmd > >(tee log)`. */
const drainGrace = 100
/** More than a pipe holds: later output was not written before the exit. */
const drainBytes = 1 << 20

export class PipeReader {
  /** Resolves at the end of both pipes. Rejects with what the consumer threw. */
  readonly done: Promise<void>
  private readonly child: StartedProcess
  private onOutput: OnOutput | undefined
  private readonly taking = new Set<Promise<void>>()
  private bytes = 0

  constructor(child: StartedProcess, onOutput: OnOutput) {
    this.child = child
    this.onOutput = onOutput
    this.done = Promise.all([this.read("stdout"), this.read("stderr")]).then(() => {})
  }

  /** Call it after the exit: waits for the end of the pipes or, if a child process holds them open, until they are empty. */
  async drain(): Promise<void> {
    const limit = this.bytes + drainBytes
    if (await this.endsInTime()) return
    let seen: number
    do {
      seen = this.bytes
      await Promise.allSettled(this.taking)
      // The first turn can end before the next poll of the pipes, the second cannot.
      await turn()
      await turn()
    } while ((seen !== this.bytes || this.taking.size > 0) && this.bytes < limit)
  }

  /** Whether both pipes end, and all chunks are processed, within the grace period. */
  endsInTime(): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, drainGrace, false)
      const ended = () => {
        clearTimeout(timer)
        resolve(true)
      }
      this.done.then(ended, ended)
    })
  }

  /**
   * Drops all further output, and does not keep this process alive. The pipes stay open: writing to a closed pipe would kill
   * a background child.
   */
  discard(): void {
    this.onOutput = undefined
    for (const pipe of this.pipes) pipe.unref()
  }

  close(): void {
    this.onOutput = undefined
    for (const pipe of this.pipes) pipe.destroy()
  }

  /** A pipe is missing if no descriptor was left for it; then the start fails with an error. */
  private get pipes() {
    return [this.child.stdout, this.child.stderr].filter((pipe) => pipe != null)
  }

  private async read(name: OutputStream): Promise<void> {
    // An iterator and not `data` events: Node resumes a paused pipe when the child exits.
    const chunks: AsyncIterator<Buffer> | undefined = this.child[name]?.[Symbol.asyncIterator]()
    for (;;) {
      // Treat a broken pipe as ended.
      const next = await chunks?.next().catch(() => undefined)
      if (next === undefined || next.done === true) return
      if (this.onOutput !== undefined) await this.take(this.onOutput(name, next.value), next.value.length)
    }
  }

  private async take(taken: void | Promise<void>, bytes: number): Promise<void> {
    this.bytes += bytes
    if (taken === undefined) return
    this.taking.add(taken)
    try {
      await taken
    } finally {
      this.taking.delete(taken)
    }
  }
}
