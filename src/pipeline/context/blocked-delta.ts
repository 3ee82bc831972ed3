/** A streamed delta that waits until its consumer has room. Its rejection counts as handled, because handlers need not await deltas. */

const ignore = () => undefined

/** The result of `context.delta` once the handler can no longer stream: a rejection that counts as handled. */
export const rejectedDelta = (reason: unknown): Promise<never> => {
  const promise = Promise.reject(reason)
  promise.catch(ignore)
  return promise
}

/** A delta that waits for room. Its promise rejects if the call is interrupted meanwhile. */
export class BlockedDelta {
  readonly promise: Promise<void>
  /** Ends the wait when the call is interrupted. */
  reject: (reason: unknown) => void = ignore

  constructor(room: Promise<void>, released: () => void) {
    this.promise = new Promise((resolve, reject) => {
      this.reject = reject
      room.then(() => {
        released()
        resolve()
      })
    })
    this.promise.catch(ignore)
  }
}
