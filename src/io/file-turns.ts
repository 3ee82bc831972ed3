/** Serialises the changes of a file within this process: each reads and writes before the next starts, in order. */

const turns = new Map<string, Promise<void>>()

/** Runs `work` after all earlier work on the path. `path`: absolute, with every link resolved. */
export const inTurn = async <T>(path: string, work: () => Promise<T>): Promise<T> => {
  const before = turns.get(path)
  const result = before === undefined ? work() : before.then(work)
  const over = result.then(
    () => undefined,
    () => undefined,
  )
  turns.set(path, over)
  try {
    return await result
  } finally {
    if (turns.get(path) === over) turns.delete(path)
  }
}

/** Runs `work` after all earlier work on each of the paths. */
export const inTurns = <T>(paths: ReadonlyArray<string>, work: () => Promise<T>): Promise<T> =>
  // In one order for all callers, so that there is no deadlock.
  [...new Set(paths)].sort().reduceRight((inner, path) => () => inTurn(path, inner), work)()
