/** What tests steer with instead of sleeping: a promise settled from outside, and a turn of the event loop. */

export interface Deferred<T> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(reason: unknown): void
}

export const deferred = <T = void>(): Deferred<T> => {
  let resolve!: (value: T) => void
  let reject!: (reason: unknown) => void
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve
    reject = onReject
  })
  // A test that only resolves must not fail on a rejection that nobody looks at.
  promise.catch(() => undefined)
  return { promise, resolve, reject }
}

/** A promise that nobody settles: a handler that is stuck. */
export const never = <T>(): Promise<T> => new Promise<T>(() => undefined)

const immediate = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A durable executor stores in a turn of its own what a call waits for: when it begins, and with each change. */
const turns = process.env.STEPLINE_TEST_EXECUTOR === "durable" ? 4 : 1

/** One turn of the event loop, and those that a store takes: every microtask that can run has run. */
export const turn = async (): Promise<void> => {
  for (let left = turns; left > 0; left--) await immediate()
}

/** Turns the event loop until a condition holds. */
export const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await turn()
}
