/** In milliseconds: the longest delay of a timer. */
const forEver = 2 ** 31 - 1

/** Keeps the process alive until the returned function is called, also if nothing else does. */
export const stayAlive = (): (() => void) => {
  const timer = setInterval(() => {}, forEver)
  return () => clearInterval(timer)
}
