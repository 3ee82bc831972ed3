/** Folders of this user's that nobody else can enter. */
import { chmod, lstat, mkdir, realpath } from "node:fs/promises"

/** This user's; 0 where the system has no such numbers. */
export const uid: number = process.getuid?.() ?? 0

/** Undefined where there is none at a path. */
export const existingFolder = async (path: string): Promise<string | undefined> => {
  try {
    const info = await lstat(path)
    if (!info.isDirectory() || info.uid !== uid) return undefined
    await chmod(path, 0o700)
    return await realpath(path)
  } catch {
    return undefined
  }
}

/** The same, made where it is missing; undefined where there can be none. */
export const privateFolder = async (path: string): Promise<string | undefined> => {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch(() => {})
  return existingFolder(path)
}
