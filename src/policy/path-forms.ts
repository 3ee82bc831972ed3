/**
 * The forms of a path that rules match: relative to the working directory and absolute, both for the path as it is spelled and
 * for the file that it leads to. This reads the disk, so that a link cannot bypass a rule.
 */
import { readlinkSync, realpathSync } from "node:fs"
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { expandHome } from "../text/expand-home.ts"

/** The folders that relative paths of calls and of rules start in, usually the same. Absolute. */
export interface Place {
  readonly start: string
  readonly base: string
}

/** A location that a path may mean. A rule matches it by either form. */
export interface PathForm {
  readonly absolute: string
  readonly relative: string
}

/** The longest path that Linux resolves, in bytes; a longer one names no file. */
const maxPathLength = 4096
const maxLinks = 40

const slashes = (path: string): string => (sep === "\\" ? path.replaceAll("\\", "/") : path)

const formOf = (path: string, cwd: string): PathForm => ({
  absolute: slashes(path),
  relative: slashes(relative(cwd, path)),
})

const isMissing = (error: unknown): boolean => {
  const { code } = error as NodeJS.ErrnoException
  return code === "ENOENT" || code === "ENOTDIR"
}

const linkTarget = (path: string): string | undefined => {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** The target of a path, even if its last parts do not exist yet. Throws if it cannot be determined. */
export const realPath = (path: string, links = maxLinks): string => {
  try {
    return realpathSync.native(path)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  // Writing to a dangling link creates its target, so the target counts.
  const target = linkTarget(path)
  if (target !== undefined) {
    if (links === 0) throw new Error(`Too many links: ${path}`)
    return realPath(resolve(dirname(path), target), links - 1)
  }
  const parent = dirname(path)
  return parent === path ? path : join(realPath(parent, links), basename(path))
}

/** Every meaning that a spelling may have: some tools expand `~` and `file:`, others do not. */
const readings = (path: string, cwd: string): Array<string> => {
  const found = [resolve(cwd, path)]
  if (path.startsWith("~")) found.push(resolve(cwd, expandHome(path)))
  if (/^file:/i.test(path)) found.push(fileURLToPath(path))
  return found
}

export interface PathForms {
  /** As spelled, once for each meaning. */
  readonly spelled: ReadonlyArray<PathForm>
  /** With links resolved; undefined if they cannot be resolved. Reads the disk when called. */
  real(): ReadonlyArray<PathForm> | undefined
}

/** Undefined for a text that cannot be a path: a NUL byte, too long, a `file:` URL of another host. */
export const pathForms = (path: string, { start, base }: Place): PathForms | undefined => {
  if (path.includes("\0") || path.length > maxPathLength) return undefined
  try {
    const spelled = readings(path, start)
    return {
      spelled: spelled.map((reading) => formOf(reading, base)),
      real: () => {
        try {
          const realBase = realPath(base)
          const found = spelled.map((reading) => formOf(realPath(reading), realBase))
          // The system follows a link before `..`, unlike the spelling: both are checked.
          if (path.includes("..")) {
            const unresolved = isAbsolute(path) ? path : `${start}/${path}`
            found.push(formOf(realPath(unresolved), realBase))
          }
          return found
        } catch {
          return undefined
        }
      },
    }
  } catch {
    return undefined
  }
}
