/**
 * What was approved runs once, however often the conversation that it was approved in is resumed: whoever resumes it again
 * is given the first one's result. Known as long as the process lives, up to a bound.
 */
import type { ToolExecutor } from "../../pipeline/executor.ts"

/** How many are known of an executor; the oldest are forgotten. */
const maxKnown = 1000

const known = new WeakMap<ToolExecutor, Map<string, Promise<unknown>>>()

/** Runs it for the first who asks with this key; a run that rejects is one too, unless it has called `forget`. */
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
