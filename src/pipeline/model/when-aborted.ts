/**
 * What happens once a signal is aborted. A signal walks the list of its listeners for each one that comes and goes, and Node 20 warns
 * of a leak at the eleventh; a host gives the signal of its session to thousands of calls. So they share one listener of it.
 */

/** Who is told of one signal. */
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
 * Calls `act`, which throws nothing, once the signal is aborted; never, where what this returns is called before, and for a signal
 * that is aborted already.
 */
export const whenAborted = (signal: AbortSignal, act: () => void): (() => void) => {
  let all = told.get(signal)
  if (all === undefined) {
    all = new Told(signal)
    told.set(signal, all)
  }
  return all.add(act)
}
