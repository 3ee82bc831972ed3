/** Gives a caller exclusive access to a file between reading it and writing the result. */
import type { EnsureHeld } from "./file-lock.ts"
import { inTurn } from "./file-turns.ts"
import type { Files } from "./files.ts"

/**
 * Calls of this process run in order; other processes are kept out if `files` supports it. `path` has every link resolved.
 * `work` must call its argument right before it writes the change: it rejects if the lock was lost.
 */
export const whileChanging = <A>(
  files: Files,
  path: string,
  work: (ensureHeld: EnsureHeld) => Promise<A>,
  signal?: AbortSignal,
): Promise<A> => inTurn(path, () => files.exclusively?.(path, work, signal) ?? work(async () => {}))
