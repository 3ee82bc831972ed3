/** The paths in Claude Code's rules: patterns as in gitignore, relative to the folder of the call, the home folder, `//` or the settings. */
import { escaped, headOf, segmentBody } from "./globs.ts"
import type { Body } from "./imported.ts"

/** The folders in which patterns begin. */
export interface Roots {
  /** For `~/`. Absolute. */
  readonly home: string
  /** For patterns with one leading slash: the folder that the settings apply to. Absolute; undefined if it is unknown. */
  readonly root?: string | undefined
}

/** Excludes paths above the folder, and absolute ones. */
const isInside = "(?!\\/|\\.\\.(?:\\/|$)|[A-Za-z]:)"

interface Placed {
  /** Absolute; undefined for the folder of the call. */
  readonly folder: string | undefined
  readonly glob: string
}

const slashed = (folder: string): string => folder.replaceAll("\\", "/").replace(/\/$/, "")

const placed = (pattern: string, { home, root }: Roots): Placed | undefined => {
  if (pattern.startsWith("//")) return { folder: "", glob: pattern.slice(2) }
  if (pattern === "~" || pattern.startsWith("~/")) return { folder: slashed(home), glob: pattern.slice(2) }
  if (!pattern.startsWith("/")) return { folder: undefined, glob: pattern.replace(/^(?:\.\/)+/, "") }
  return root === undefined ? undefined : { folder: slashed(root), glob: pattern.slice(1) }
}

const startOf = (folder: string | undefined): string =>
  folder === undefined ? isInside : `${escaped(folder)}\\/`

/** Joins the parts of a pattern; `**` matches any number of parts. */
const joined = (parts: ReadonlyArray<string>, across: boolean): string =>
  parts.map((part) => (part === "**" ? "(?:[^]*\\/)?" : `${segmentBody(part, across)}\\/`)).join("")

const bodyOf = ({ folder, glob }: Placed, body: string): Body => ({
  body: `${startOf(folder)}${body}`,
  head: folder === undefined ? headOf(glob) : `${folder}/${headOf(glob)}`,
  isAbsolute: folder !== undefined,
})

const partsOf = (glob: string): Array<string> => glob.split("/").filter((part) => part !== "" && part !== ".")

const isOdd = (pattern: string): boolean => /^!|(?:^|\/)\.\.(?:\/|$)|^$/.test(pattern)

/** The paths that an allow rule certainly covers; undefined if the folder in which they begin is unknown. */
export const allowedPaths = (pattern: string, roots: Roots): Body | undefined => {
  const where = isOdd(pattern) ? undefined : placed(pattern, roots)
  if (where === undefined) return undefined
  const parts = partsOf(where.glob)
  const last = parts.pop()
  if (last === undefined) return undefined
  const end = last === "**" ? "[^]+" : segmentBody(last, false)
  // After a folder's name, `**` matches its contents.
  return bodyOf(where, `${joined(parts, false)}${end}`)
}

/** The paths of a pattern whose folder is unknown: it may begin anywhere. */
const anywhere = (pattern: string): Body => {
  const parts = partsOf(pattern).filter((part) => part !== "**")
  const last = parts.pop()
  const body = last === undefined ? "" : `${joined(parts, true)}${segmentBody(last, true)}(?:\\/[^]*)?`
  return { body: last === undefined ? "[^]*" : `(?:[^]*\\/)?${body}`, head: "" }
}

/** All paths that a deny or ask rule may mean; undefined if they cannot be determined. */
export const coveredPaths = (pattern: string, roots: Roots): Body | undefined => {
  if (isOdd(pattern)) return undefined
  const where = placed(pattern, roots)
  if (where === undefined) return anywhere(pattern)
  const parts = partsOf(where.glob)
  while (parts.at(-1) === "**") parts.pop()
  if (parts.length === 0) return { ...bodyOf(where, "[^]*"), head: where.folder ?? "" }
  // A single part matches at any depth.
  const isDeep = parts.length === 1 && (where.folder === undefined || !/\//.test(where.glob))
  const isAnywhere = isDeep && where.folder === undefined
  const last = parts.pop()!
  const body = `${isAnywhere ? "(?:[^]*\\/)?" : ""}${joined(parts, true)}${segmentBody(last, true)}(?:\\/[^]*)?`
  const found = bodyOf(where, body)
  return isAnywhere || parts[0] === "**" ? { ...found, head: where.folder ?? "" } : found
}

/** Between these, a name in a command line is not part of another one. */
const before = "(?<![\\w.-])"
const behind = "(?![\\w-]|\\.\\w)"

/** Patterns that find a file's name in a command line. */
export interface Name {
  /** Matches the name, whatever folder the file is in. */
  readonly body: string
  /** Matches the name as a folder in a path. */
  readonly folder: string
  /** Matches the name directly after an option of one letter. */
  readonly glued: string
  /** Whether the name is unlikely to be any other word of a line, such as `.env` and `*.pem`. */
  readonly isOfFile: boolean
}

/** The name of a pattern's files in a command line; undefined if it has none. */
export const named = (pattern: string): Name | undefined => {
  const parts = partsOf(pattern.replace(/^(?:~|\/)/, ""))
  const name = parts.findLast((part) => /[^*?]/.test(part))
  if (name === undefined) return undefined
  const bare = segmentBody(name.replace(/^\*+|\*+$/g, ""), true)
  const begun = `${name.startsWith("*") ? "" : before}${bare}`
  return {
    body: `${begun}${name.endsWith("*") ? "" : behind}`,
    folder: `${begun}\\/`,
    glued: ` -\\w${bare}${behind}`,
    isOfFile: name.includes("."),
  }
}
