/** Folders of this user that nobody else can enter. */
import { chmod, lstat, mkdir, realpath } from "node:fs/promises"

/** This user's id; 0 if the system has none. */
export const uid: number = process.getuid?.() ?? 0

/** Makes a folder of this user private, and resolves with its real path; undefined if there is no such folder. */
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

/** Like `existingFolder`, but first makes a missing folder. */
export const privateFolder = async (path: string): Promise<string | undefined> => {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch(() => {})
  return existingFolder(path)
}
