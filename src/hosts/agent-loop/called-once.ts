/**
 * An approved call runs once, however often the conversation with its approval is resumed: each further attempt
 * receives the first result. Remembered while the process lives, up to a bound.
 */
import type { ToolExecutor } from "../../pipeline/executor.ts"

/** How many calls of an executor are remembered; the oldest are forgotten. */
const maxKnown = 1000

const known = new WeakMap<ToolExecutor, Map<string, Promise<unknown>>>()

/** Runs `run` at the first call with a key. A rejection is remembered too, unless `run` has called `forget`. */
export const calledOnce = <T>(
  executor: ToolExecutor,
  key: string,
  run: (forget: () => void) => Promise<T>,
): Promise<T> => {
  const results = known.get(executor) ?? new Map<string, Promise<unknown>>()
  known.set(executor, results)
  const first = results.get(key)
  if (first !== undefined) return first as Promise<T>
  const result = run(() => results.delete(key))
  results.set(key, result)
  for (const oldest of results.keys()) {
    if (results.size <= maxKnown) break
    results.delete(oldest)
  }
  return result
}
