/** A streamed delta that waits until its consumer has room. Nobody has to handle its rejection: it may be streamed unawaited. */

const ignore = () => undefined

/** What `delta` gives where nothing can be streamed any more: a rejection that nobody has to handle. */
export const rejectedDelta = (reason: unknown): Promise<never> => {
  const promise = Promise.reject(reason)
  promise.catch(ignore)
  return promise
}

/** A delta that waits for room. Its promise rejects where the call is interrupted meanwhile. */
export class BlockedDelta {
  readonly promise: Promise<void>
  /** Ends the wait where the call is interrupted. */
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
