/**
 * Shares one listener per signal. Adding and removing a listener walks the signal's list of listeners, and Node 20 warns of a
 * leak at the eleventh; a host may pass its session's signal to thousands of calls.
 */

/** The listeners of one signal. */
class Told {
  private readonly signal: AbortSignal
  private readonly listeners = new Set<{ readonly act: () => void }>()

  constructor(signal: AbortSignal) {
    this.signal = signal
  }

  add(act: () => void): () => void {
    const listener = { act }
    if (this.listeners.size === 0) this.signal.addEventListener("abort", this.tell, { once: true })
    this.listeners.add(listener)
    return () => {
      if (this.listeners.delete(listener) && this.listeners.size === 0)
        this.signal.removeEventListener("abort", this.tell)
    }
  }

  private readonly tell = (): void => {
    for (const { act } of this.listeners) act()
    this.listeners.clear()
  }
}

const told = new WeakMap<AbortSignal, Told>()

/**
 * Calls `act`, which must not throw, once the signal is aborted. Never calls it after the returned function was called, or if the
 * signal is already aborted.
 */
export const whenAborted = (signal: AbortSignal, act: () => void): (() => void) => {
  let all = told.get(signal)
  if (all === undefined) {
    all = new Told(signal)
    told.set(signal, all)
  }
  return all.add(act)
}
