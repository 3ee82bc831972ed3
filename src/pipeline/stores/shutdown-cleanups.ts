/** Cleanups that run when an executor shuts down, for resources that outlive their calls: files, connections. */

type Cleanup = () => unknown

/** The cleanups of one executor. They run once, in reverse order. */
export class ShutdownCleanups {
  private readonly waiting = new Set<{ readonly cleanup: Cleanup }>()
  /** Whether the cleanups have run. */
  isOver = false

  /** Adds a cleanup. Returns a function that removes it. After the shutdown the cleanup runs at once: a late handler may add one. */
  readonly add = (cleanup: Cleanup): (() => void) => {
    const entry = { cleanup }
    if (this.isOver) void settle(cleanup)
    else this.waiting.add(entry)
    return () => {
      this.waiting.delete(entry)
    }
  }

  /** Runs all cleanups, also those that are added meanwhile. Never rejects, because nobody is left to handle an error. */
  async run(): Promise<void> {
    while (this.waiting.size > 0) {
      const entries = [...this.waiting].reverse()
      this.waiting.clear()
      await Promise.all(entries.map(({ cleanup }) => settle(cleanup)))
    }
    this.isOver = true
  }
}

const settle = async (cleanup: Cleanup): Promise<void> => {
  try {
    await cleanup()
  } catch {
    // The other cleanups still have to run.
  }
}
