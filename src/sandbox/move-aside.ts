/** Takes what would run later out of the way, under a name that no program looks for. */
import { chmod, lstat, rename } from "node:fs/promises"
import { dirname } from "node:path"

/** Gives whether it is out of the way. */
export type MoveAside = (path: string) => Promise<boolean>

const asideOf = async (path: string): Promise<string> => {
  for (let number = 0; ; number++) {
    const aside = `${path}.blocked${number === 0 ? "" : number}`
    if ((await lstat(aside).catch(() => undefined)) === undefined) return aside
  }
}

/** To `NAME.blocked`. Rejects where its folder does not let go of it. */
export const moveAside = async (path: string): Promise<void> => {
  const aside = await asideOf(path)
  try {
    await rename(path, aside)
  } catch {
    // The command may have taken the right from this user, who is its owner.
    const folder = dirname(path)
    const { mode } = await lstat(folder)
    await chmod(folder, mode | 0o700)
    await rename(path, aside)
  }
}
