/** Resolves paths from models, and walks the folders that they name. */
import { resolve, sep } from "node:path"
import { localFiles } from "../../../io/files.ts"
import { type WalkedEntry, walkFolder } from "../../../io/walk-folder.ts"
import { expandHome } from "../../../text/expand-home.ts"

/** Spaces that models use instead of the plain one. */
const unicodeSpaces = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g

/** Returns the absolute path. `~` is the home folder; an `@` before the path, as in mentions of files, is removed. */
export const resolvePath = (path: string, cwd: string): string => {
  const plain = path.replace(/^@/, "").replace(unicodeSpaces, " ")
  return resolve(cwd, expandHome(plain))
}

/** A file of this machine at a path, whose links are resolved. */
export const fileAt = async (path: string) => {
  const real = await localFiles.resolveLinks(path)
  return { real, info: await localFiles.stat(real) }
}

export const slashed = (path: string): string => (sep === "/" ? path : path.split(sep).join("/"))

const unwalked: ReadonlySet<string> = new Set([".git"])

/**
 * Walks a folder of this machine, with every link resolved, for a search: without what `.gitignore` files ignore, and without the
 * repository itself. The paths of the entries have slashes.
 */
export async function* entriesBelow(
  folder: string,
  signal: AbortSignal | undefined,
): AsyncGenerator<WalkedEntry, void> {
  for await (const { path, kind } of walkFolder(localFiles, { folder, top: folder, unwalked, signal }))
    yield { path: slashed(path), kind }
}
