/** Who reads a file to change it has it to itself until the change is written; in this process, in order. */

const turns = new Map<string, Promise<void>>()

/** `path` is absolute, with every link resolved. */
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

/** The same for several paths. */
export const inTurns = <T>(paths: ReadonlyArray<string>, work: () => Promise<T>): Promise<T> =>
  // In one order for all, so that nobody waits for who waits for them.
  [...new Set(paths)].sort().reduceRight((inner, path) => () => inTurn(path, inner), work)()
