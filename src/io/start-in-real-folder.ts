/**
 * Starts a process in the very folder that a path names while no link is on its way. The folder is held open and entered by
 * its descriptor, so that nothing can take its place in between. Where a system has no paths of open folders, the path is
 * used, just after it was looked at.
 */
import { asFolder, openReal, placeOf, staleError } from "./open-real.ts"
import { type SpawnHelperUse, startProcess } from "./start-process.ts"
import type { ProcessSpec, StartedProcess } from "./started-process.ts"

/** Rejects with `ESTALE` where the folder was moved, or replaced by a link; else as `startProcess` does. */
export const startInRealFolder = async (spec: ProcessSpec, use: SpawnHelperUse): Promise<StartedProcess> => {
  const { cwd } = spec
  const folder = await openReal(cwd, asFolder).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === "ENOENT" ? staleError(cwd, cause) : cause
  })
  try {
    // A helper has descriptors of its own.
    const entry = placeOf(folder.fd) === undefined ? cwd : `/proc/${process.pid}/fd/${folder.fd}`
    // It is there, or has failed, once this resolves: no earlier may the folder be closed.
    return await startProcess({ ...spec, cwd: entry }, use)
  } finally {
    // Nobody waits for it: what the process prints must find its reader there at once.
    void folder.close().catch(() => {})
  }
}
