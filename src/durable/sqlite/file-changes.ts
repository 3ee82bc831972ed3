/**
 * Waits for changes of a file. SQLite does not report writes of other processes, so one timer polls the file for all waiting
 * callers; it runs only while a caller waits.
 */
import { whenAborted } from "../../model/when-aborted.ts"

/** Milliseconds between two looks at the file. */
const lookAgain = 50

interface Waiting {
  readonly mark: number
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  /** Removes the listener of its signal. */
  readonly release: (() => void) | undefined
}

/** The changes of one file. */
export class FileChanges {
  private readonly version: () => number
  private readonly waiting = new Set<Waiting>()
  private timer: NodeJS.Timeout | undefined

  /** `version` returns a different number after each change. */
  constructor(version: () => number) {
    this.version = version
  }

  /**
   * Resolves once the version differs from `mark`, and when the signal is aborted. Rejects if the version cannot be read. Waits
   * for the next look even if the version differs already: otherwise a file that changes constantly would keep this process busy
   * reading it.
   */
  async after(mark: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return
    await new Promise<void>((resolve, reject) => {
      const leave = () => {
        this.forget(waiting)
        resolve()
      }
      const waiting: Waiting = { mark, resolve, reject, release: signal && whenAborted(signal, leave) }
      this.waiting.add(waiting)
      this.timer ??= setInterval(() => this.look(), lookAgain)
    })
  }

  /** Resolves all waiting calls. */
  end(): void {
    for (const waiting of [...this.waiting]) {
      this.forget(waiting)
      waiting.resolve()
    }
  }

  private look(): void {
    let version: number | undefined
    let fault: unknown
    try {
      version = this.version()
    } catch (error) {
      fault = error
    }
    for (const waiting of [...this.waiting]) {
      if (waiting.mark === version) continue
      this.forget(waiting)
      if (version === undefined) waiting.reject(fault)
      else waiting.resolve()
    }
  }

  private forget(waiting: Waiting): void {
    waiting.release?.()
    this.waiting.delete(waiting)
    if (this.waiting.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }
}
