/** What is to be done when an executor shuts down, for what outlives the calls that made it: files, connections. */

type Cleanup = () => unknown

/** The cleanups of one executor. They run once, the latest first. */
export class ShutdownCleanups {
  private readonly waiting = new Set<{ readonly cleanup: Cleanup }>()
  /** Whether they have run. */
  isOver = false

  /** Gives a function that takes it back. After the shutdown it runs at once: a handler may have been left behind. */
  add(cleanup: Cleanup): () => void {
    const entry = { cleanup }
    if (this.isOver) void settle(cleanup)
    else this.waiting.add(entry)
    return () => {
      this.waiting.delete(entry)
    }
  }

  /** Runs them all, also those that come meanwhile. Never rejects: nobody is left to be told. */
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
    // What it was to clean up is left.
  }
}
