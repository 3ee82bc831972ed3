/** What the tests of a file or a group share, such as a process: the first that asks makes it, and so does the next after one that failed. */
import { afterAll, onTestFailed } from "vitest"

export const useShared = <T extends AsyncDisposable>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined
  const end = async () => {
    const ended = await made?.catch(() => undefined)
    made = undefined
    await ended?.[Symbol.asyncDispose]()
  }
  afterAll(end)
  return () => {
    onTestFailed(end)
    made ??= make()
    return made
  }
}
