/**
 * Bounds one load: code that spins by a watchdog, a promise that never settles by a timer. What spins after an `await`
 * no watchdog of this thread reaches.
 */
import { createContext, Script } from "node:vm"

const longest = 2 ** 31 - 1
const slack = 5

/** The watchdog ends all JavaScript that runs below a script: this one calls whatever it is given. */
const script = new Script("work()")
const globals: { work?: () => unknown } = {}
let context: ReturnType<typeof createContext> | undefined

const watch = (work: () => unknown, timeout: number): unknown => {
  context ??= createContext(globals)
  const outer = globals.work
  globals.work = work
  try {
    return script.runInContext(context, { timeout })
  } finally {
    globals.work = outer
  }
}

export class LoadBound {
  private readonly owner: string
  private readonly milliseconds: number
  private readonly deadline: number

  /** The time starts now. `owner` is the resolved file. */
  constructor(owner: string, milliseconds: number) {
    this.owner = owner
    this.milliseconds = milliseconds
    this.deadline = performance.now() + milliseconds
  }

  /** Runs synchronous code; throws where it does not end in time. */
  run<T>(work: () => T): T {
    try {
      return watch(work, this.rest) as T
    } catch (error) {
      // Foreign code may use watchdogs of its own. The clocks differ a little.
      throw isTimeout(error) && performance.now() > this.deadline - slack ? this.late() : error
    }
  }

  /** Waits for a promise; rejects where it does not settle in time. */
  async wait<T>(promise: PromiseLike<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_resolve, reject) => {
      timer = setTimeout(() => reject(this.late()), this.rest)
    })
    try {
      return await Promise.race([promise, late])
    } finally {
      clearTimeout(timer)
    }
  }

  private get rest(): number {
    return Math.max(1, Math.min(longest, Math.ceil(this.deadline - performance.now())))
  }

  private late(): Error {
    return new Error(`${this.owner} did not finish loading within ${this.milliseconds} ms`)
  }
}

const isTimeout = (error: unknown): boolean =>
  (error as { code?: unknown } | null | undefined)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT"
