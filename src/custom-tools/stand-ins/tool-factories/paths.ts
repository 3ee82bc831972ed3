/** Resolves paths from models. */
import { resolve, sep } from "node:path"
import { expandHome } from "../../../text/expand-home.ts"

/** Spaces that models use instead of the plain one. */
const unicodeSpaces = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g

/** Returns the absolute path. `~` is the home folder; an `@` before the path, as in mentions of files, is removed. */
export const resolvePath = (path: string, cwd: string): string => {
  const plain = path.replace(/^@/, "").replace(unicodeSpaces, " ")
  return resolve(cwd, expandHome(plain))
}

export const slashed = (path: string): string => (sep === "/" ? path : path.split(sep).join("/"))
