/** Shortens paths for people. */
import { homedir } from "node:os"

/** A path relative to the working directory, or to the home folder. */
export const shortPath = (path: string, cwd: string): string => {
  for (const [folder, short] of [
    [cwd, ""],
    [homedir(), "~/"],
  ] as const) {
    if (path.startsWith(`${folder}/`)) return `${short}${path.slice(folder.length + 1)}`
  }
  return path
}
