/** Paths as Claude Code's rules name them: patterns as of gitignore, below the folder of the call, the home folder, `//` or the settings. */
import { escaped, headOf, segmentBody } from "./globs.ts"
import type { Body } from "./imported.ts"

/** Where patterns begin. */
export interface Roots {
  /** For `~/`. Absolute. */
  readonly home: string
  /** For patterns that begin with one slash: the folder that the settings are for. Absolute; undefined if it is not known. */
  readonly root?: string | undefined
}

/** Neither above the folder, nor absolute. */
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

/** Joins the parts of a pattern; `**` is any number of parts. */
const joined = (parts: ReadonlyArray<string>, across: boolean): string =>
  parts.map((part) => (part === "**" ? "(?:[^]*\\/)?" : `${segmentBody(part, across)}\\/`)).join("")

const bodyOf = ({ folder, glob }: Placed, body: string): Body => ({
  body: `${startOf(folder)}${body}`,
  head: folder === undefined ? headOf(glob) : `${folder}/${headOf(glob)}`,
  isAbsolute: folder !== undefined,
})

const partsOf = (glob: string): Array<string> => glob.split("/").filter((part) => part !== "" && part !== ".")

const isOdd = (pattern: string): boolean => /^!|(?:^|\/)\.\.(?:\/|$)|^$/.test(pattern)

/** The paths that an allow rule surely covers; undefined where it is not known where they begin. */
export const allowedPaths = (pattern: string, roots: Roots): Body | undefined => {
  const where = isOdd(pattern) ? undefined : placed(pattern, roots)
  if (where === undefined) return undefined
  const parts = partsOf(where.glob)
  const last = parts.pop()
  if (last === undefined) return undefined
  const end = last === "**" ? "[^]+" : segmentBody(last, false)
  // Behind the folder's name, `**` is what it holds.
  return bodyOf(where, `${joined(parts, false)}${end}`)
}

/** Where it is not known where a pattern begins, it may begin anywhere. */
const anywhere = (pattern: string): Body => {
  const parts = partsOf(pattern).filter((part) => part !== "**")
  const last = parts.pop()
  const body = last === undefined ? "" : `${joined(parts, true)}${segmentBody(last, true)}(?:\\/[^]*)?`
  return { body: last === undefined ? "[^]*" : `(?:[^]*\\/)?${body}`, head: "" }
}

/** All paths that a rule which takes something may mean; undefined where that cannot be told. */
export const coveredPaths = (pattern: string, roots: Roots): Body | undefined => {
  if (isOdd(pattern)) return undefined
  const where = placed(pattern, roots)
  if (where === undefined) return anywhere(pattern)
  const parts = partsOf(where.glob)
  while (parts.at(-1) === "**") parts.pop()
  if (parts.length === 0) return { ...bodyOf(where, "[^]*"), head: where.folder ?? "" }
  // One part alone is meant at any depth.
  const isDeep = parts.length === 1 && (where.folder === undefined || !/\//.test(where.glob))
  const isAnywhere = isDeep && where.folder === undefined
  const last = parts.pop()!
  const body = `${isAnywhere ? "(?:[^]*\\/)?" : ""}${joined(parts, true)}${segmentBody(last, true)}(?:\\/[^]*)?`
  const found = bodyOf(where, body)
  return isAnywhere || parts[0] === "**" ? { ...found, head: where.folder ?? "" } : found
}

/** Between these a name in a command line is no part of another one. */
const before = "(?<![\\w.-])"
const behind = "(?![\\w-]|\\.\\w)"

/** What names a file in a command line. */
export interface Name {
  /** Matches it, wherever the file lies. */
  readonly body: string
  /** Matches it as the folder of something else. */
  readonly folder: string
  /** Matches it behind an option of one letter. */
  readonly glued: string
  /** Whether it is hardly any other word of a line, as `.env` and `*.pem` are. */
  readonly isOfFile: boolean
}

/** How a command line names what a pattern is about; undefined where it has no name. */
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
