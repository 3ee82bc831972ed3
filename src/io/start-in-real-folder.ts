/**
 * Starts a process in the very folder that a path names while no link is on its way. The folder is held open and entered by
 * its descriptor, so that nothing can take its place in between. Where a system has no paths of open folders, the path is
 * used, just after it was looked at.
 */
import { statSync } from "node:fs"
import { asFolder, handlePath, openReal, placeOf, staleError } from "./open-real.ts"
import { type SpawnHelperUse, startProcess } from "./start-process.ts"
import type { ProcessSpec, StartedProcess } from "./started-process.ts"

/**
 * Whether other processes of this user may look at our descriptors. Linux keeps them from what has changed its user or
 * had more rights than that user, and shows it by who owns them.
 */
const areDescriptorsShown = (): boolean => {
  const { uid, gid } = statSync("/proc/self/fd")
  return uid === process.geteuid?.() && gid === process.getegid?.()
}

/** Rejects with `ESTALE` where the folder was moved, or replaced by a link; else as `startProcess` does. */
export const startInRealFolder = async (spec: ProcessSpec, use: SpawnHelperUse): Promise<StartedProcess> => {
  const { cwd } = spec
  const folder = await openReal(cwd, asFolder).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === "ENOENT" ? staleError(cwd, cause) : cause
  })
  try {
    // It is there, or has failed, once this resolves: no earlier may the folder be closed.
    if (placeOf(folder.fd) === undefined) return await startProcess(spec, use)
    // A helper has descriptors of its own, and goes through ours.
    if (!areDescriptorsShown()) return await startProcess({ ...spec, cwd: handlePath(folder.fd) }, "never")
    return await startProcess({ ...spec, cwd: `/proc/${process.pid}/fd/${folder.fd}` }, use)
  } finally {
    // Nobody waits for it: what the process prints must find its reader there at once.
    void folder.close().catch(() => {})
  }
}
