/**
 * Keeps an error that foreign code left to nobody from ending the process. It listens only while somebody expects
 * such errors; all others end the program as they would without it, or reach the host's own listeners.
 */

type IsStray = (error: unknown) => boolean

const expected = new Set<IsStray>()

/** Swallows the errors that `isStray` knows, until the returned function is called. */
export const expectStrays = (isStray: IsStray): (() => void) => {
  if (expected.size === 0) listen()
  expected.add(isStray)
  return () => {
    if (expected.delete(isStray) && expected.size === 0) unlisten()
  }
}

/** The same until all that this turn of the event loop leads to has run. */
export const untilNextTurn = (isStray: IsStray): void => {
  setImmediate(expectStrays(isStray))
}

const isExpected = (error: unknown): boolean => [...expected].some((isStray) => isStray(error))

const onException = (error: unknown): void => {
  if (!isExpected(error)) pass(error, "uncaughtException")
}

const onRejection = (error: unknown): void => {
  if (!isExpected(error)) pass(error, "unhandledRejection")
}

/** Our listening hides what nobody else listens to: it is thrown once more, with nobody in its way. */
const pass = (error: unknown, event: "uncaughtException" | "unhandledRejection"): void => {
  if (process.listenerCount(event) > 1) return
  unlisten()
  expected.clear()
  process.nextTick(() => {
    throw error
  })
}

const listen = (): void => {
  process.on("uncaughtException", onException)
  process.on("unhandledRejection", onRejection)
}

const unlisten = (): void => {
  process.off("uncaughtException", onException)
  process.off("unhandledRejection", onRejection)
}
