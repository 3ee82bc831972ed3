/**
 * Waits for changes of a file. SQLite does not report writes of other processes, so one timer polls the file for all waiting
 * callers; it runs only while a caller waits.
 */
import { whenAborted } from "../../model/when-aborted.ts"

/** Milliseconds between two looks at the file. */
const lookAgain = 50

/** Called with what a look has found. */
type Waiting = (version: number | undefined, fault?: unknown) => void

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
      const looked: Waiting = (version, fault) => {
        if (version === mark) return
        release?.()
        this.waiting.delete(looked)
        if (this.waiting.size === 0) {
          clearInterval(this.timer)
          this.timer = undefined
        }
        if (fault === undefined) resolve()
        else reject(fault)
      }
      const release = signal && whenAborted(signal, () => looked(undefined))
      this.waiting.add(looked)
      this.timer ??= setInterval(() => this.look(), lookAgain)
    })
  }

  /** Resolves all waiting calls. */
  end(): void {
    for (const looked of [...this.waiting]) looked(undefined)
  }

  private look(): void {
    let found: Parameters<Waiting>
    try {
      found = [this.version()]
    } catch (fault) {
      found = [undefined, fault]
    }
    for (const looked of [...this.waiting]) looked(...found)
  }
}
