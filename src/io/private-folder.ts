/** Folders of this user that nobody else can enter. */
import { chmod, lstat, mkdir, realpath } from "node:fs/promises"

/** This user's id; 0 if the system has none. */
export const uid: number = process.getuid?.() ?? 0

/** Returns the path if it is such a folder, otherwise undefined. */
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

/** Makes such a folder if it is missing; resolves with undefined if that fails. */
export const privateFolder = async (path: string): Promise<string | undefined> => {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch(() => {})
  return existingFolder(path)
}
