/** Keeps everybody else away from a file between the reading of it and the writing of what came of that. */
import type { EnsureHeld } from "./file-lock.ts"
import { inTurn } from "./file-turns.ts"
import type { Files } from "./files.ts"

/**
 * Calls of this process have the file in order; other processes are kept away where the files know how. `path` is real. What
 * the work is given is to be asked right before the change is written: it rejects where the lock was lost.
 */
export const whileChanging = <A>(
  files: Files,
  path: string,
  work: (ensureHeld: EnsureHeld) => Promise<A>,
  signal?: AbortSignal,
): Promise<A> => inTurn(path, () => files.exclusively?.(path, work, signal) ?? work(async () => {}))
