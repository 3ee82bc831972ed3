/** Bounds how long foreign listeners hold the host. */

/** How long one listener is waited for, in milliseconds. */
export const listenerTimeout = 10_000

/** Rejects with what `work` throws, or once it has taken too long; `work` itself goes on then, unheard. */
export const settleWithin = async <T>(milliseconds: number, work: () => T | Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`it did not settle within ${milliseconds / 1000} s, and is no longer waited for`))
    }, milliseconds)
  })
  try {
    return await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}
