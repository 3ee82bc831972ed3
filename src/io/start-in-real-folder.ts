/**
 * Starts a process in exactly the folder that a path without links names. The folder is held open and entered by its
 * descriptor, so that nothing can replace it in between. If a system has no paths for open folders, the path is used, right
 * after a check.
 */
import { statSync } from "node:fs"
import { asFolder, handlePath, openReal, placeOf, staleError } from "./open-real.ts"
import { type SpawnHelperUse, startProcess } from "./start-process.ts"
import type { ProcessSpec, StartedProcess } from "./started-process.ts"

/**
 * Whether other processes of this user can read our descriptors. Linux denies it if this process has changed its user or had
 * more privileges; the owner of `/proc/self/fd` shows it.
 */
const areDescriptorsShown = (): boolean => {
  const { uid, gid } = statSync("/proc/self/fd")
  return uid === process.geteuid?.() && gid === process.getegid?.()
}

/** Rejects with `ESTALE` if the folder was moved, or replaced by a link; otherwise like `startProcess`. */
export const startInRealFolder = async (spec: ProcessSpec, use: SpawnHelperUse): Promise<StartedProcess> => {
  const { cwd } = spec
  const folder = await openReal(cwd, asFolder).catch((cause: NodeJS.ErrnoException) => {
    throw cause.code === "ENOENT" ? staleError(cwd, cause) : cause
  })
  try {
    // Await the start: the folder must stay open until the process has started or failed.
    if (placeOf(folder.fd) === undefined) return await startProcess(spec, use)
    // A helper has other descriptors, and uses ours through /proc.
    if (!areDescriptorsShown()) return await startProcess({ ...spec, cwd: handlePath(folder.fd) }, "never")
    return await startProcess({ ...spec, cwd: `/proc/${process.pid}/fd/${folder.fd}` }, use)
  } finally {
    // Not awaited: the output needs its reader at once.
    void folder.close().catch(() => {})
  }
}
