/** Moves what would run later aside, to a name that no program looks for. */
import { chmod, lstat, rename } from "node:fs/promises"
import { dirname } from "node:path"

/** Resolves with whether the path was moved. */
export type MoveAside = (path: string) => Promise<boolean>

const asideOf = async (path: string): Promise<string> => {
  for (let number = 0; ; number++) {
    const aside = `${path}.blocked${number === 0 ? "" : number}`
    if ((await lstat(aside).catch(() => undefined)) === undefined) return aside
  }
}

/** Renames a path to `NAME.blocked`. Rejects if its folder does not permit it. */
export const moveAside = async (path: string): Promise<void> => {
  const aside = await asideOf(path)
  try {
    await rename(path, aside)
  } catch {
    // The command may have removed the write permission of this user, the folder's owner.
    const folder = dirname(path)
    const { mode } = await lstat(folder)
    await chmod(folder, mode | 0o700)
    await rename(path, aside)
  }
}
