/** In milliseconds: the longest that a timer takes. */
const forEver = 2 ** 31 - 1

/** Keeps the process, also where it only waits for what keeps none, until the function that it gives is called. */
export const stayAlive = (): (() => void) => {
  const timer = setInterval(() => {}, forEver)
  return () => clearInterval(timer)
}
