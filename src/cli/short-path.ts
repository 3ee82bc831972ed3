/** Paths as people read them. */
import { homedir } from "node:os"

/** A path as people write it: from the working directory, or from the home folder. */
export const shortPath = (path: string, cwd: string): string => {
  for (const [folder, short] of [
    [cwd, ""],
    [homedir(), "~/"],
  ] as const) {
    if (path.startsWith(`${folder}/`)) return `${short}${path.slice(folder.length + 1)}`
  }
  return path
}
