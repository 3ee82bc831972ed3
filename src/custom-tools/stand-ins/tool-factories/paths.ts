/** Where a path that a model gave leads. */
import { homedir } from "node:os"
import { resolve, sep } from "node:path"

/** Spaces that models put in for the plain one. */
const unicodeSpaces = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g

/** Absolute. `~` is the home folder; an `@` before the path, as users mention files, is left out. */
export const resolvePath = (path: string, cwd: string): string => {
  const plain = path.replace(/^@/, "").replace(unicodeSpaces, " ")
  const expanded = plain === "~" || plain.startsWith("~/") ? homedir() + plain.slice(1) : plain
  return resolve(cwd, expanded)
}

export const slashed = (path: string): string => (sep === "/" ? path : path.split(sep).join("/"))
