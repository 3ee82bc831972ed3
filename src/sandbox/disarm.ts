/**
 * Searches, after a command, for what it created that would run outside of the sandbox later, and moves it aside. What
 * existed before is read-only in the sandbox, as far as possible; the rest must be unchanged.
 */
import { lstat } from "node:fs/promises"
import { disarmGit, stepsThatRun } from "./disarm-git.ts"
import { moveAside } from "./move-aside.ts"
import { protectedPaths } from "./protected-paths.ts"
import type { SandboxBounds } from "./sandbox-bounds.ts"
import { isEmpty, markOf, maxFolders, type Survey, surveyFolders } from "./survey.ts"

/** What exists, and which paths are write-protected. */
export interface Closed {
  readonly survey: Survey
  readonly paths: ReadonlyArray<string>
}

/** The state when a command began. */
export interface Protection extends Closed {
  /** The existing paths that the command can write, with a mark that differs after a change. */
  readonly marks: ReadonlyMap<string, string | undefined>
  readonly steps: ReadonlyMap<string, ReadonlySet<string> | undefined>
}

const isLink = (path: string): Promise<boolean> =>
  lstat(path).then(
    (info) => info.isSymbolicLink(),
    () => false,
  )

const mapOf = async <A>(
  keys: Iterable<string>,
  valueOf: (key: string) => Promise<A>,
): Promise<ReadonlyMap<string, A>> => {
  const map = new Map<string, A>()
  for (const key of keys) map.set(key, await valueOf(key))
  return map
}

const isCovered = (paths: ReadonlySet<string>, path: string): boolean => {
  for (let at = path; at !== ""; at = at.slice(0, at.lastIndexOf("/"))) if (paths.has(at)) return true
  return false
}

type Bounds = Pick<SandboxBounds, "write" | "denyWrite">

/** Surveys the present state. */
export const closedIn = async ({ write, denyWrite }: Bounds): Promise<Closed> => {
  const survey = await surveyFolders(write)
  return { survey, paths: [...denyWrite, ...(await protectedPaths(write, survey))] }
}

/** Records the state before a command. */
export const protect = async (bounds: Bounds): Promise<Protection> => {
  const { survey, paths } = await closedIn(bounds)
  const closed = new Set(paths)
  const loose: Array<string> = []
  for (const path of survey.settings) {
    // For a link, its target is read-only, not the link itself.
    if (!isCovered(closed, path) || (await isLink(path))) loose.push(path)
  }
  const marks = await mapOf(loose, markOf)
  return { survey, paths, marks, steps: await mapOf(survey.rebases, stepsThatRun) }
}

export interface Disarmed {
  /** The paths that were renamed to `NAME.blocked`. */
  readonly blocked: ReadonlyArray<string>
  /** The paths that would run, and could not be renamed. */
  readonly left: ReadonlyArray<string>
  /** Folders that could not be read. */
  readonly unseen: ReadonlyArray<string>
  /** Whether there were too many folders to survey all of them, before or after the command. */
  readonly isPartial: boolean
}

/** @param before The state when the command began. */
export const disarm = async (
  write: ReadonlyArray<string>,
  { survey, paths, marks, steps }: Protection,
): Promise<Disarmed> => {
  const after = await surveyFolders(write)
  const blocked: Array<string> = []
  const left: Array<string> = []
  const aside = async (path: string): Promise<boolean> => {
    try {
      await moveAside(path)
      blocked.push(path)
      return true
    } catch {
      left.push(path)
      return false
    }
  }
  await disarmGit(write, survey, after, steps, aside)
  const closed = new Set(paths)
  // Inner paths first, because renaming the outer one changes them.
  for (const path of [...after.settings].sort((one, other) => other.length - one.length)) {
    if (isCovered(closed, path) && !marks.has(path)) continue
    const mark = marks.get(path)
    const isSame = mark !== undefined && mark === (await markOf(path))
    if (!isSame && !(await isEmpty(path))) await aside(path)
  }
  return { blocked, left, unseen: after.unseen, isPartial: survey.isPartial || after.isPartial }
}

const maxNamed = 20

export const listOf = (items: ReadonlyArray<string>): string => {
  const different = [...new Set(items)]
  const more = different.length - maxNamed
  return different.slice(0, maxNamed).join("; ") + (more > 0 ? `; and ${more} more` : "")
}

/** The notes for the model, one sentence each. */
export const notesOf = ({ blocked, left, unseen, isPartial }: Disarmed): Array<string> => {
  const notes: Array<string> = []
  if (blocked.length > 0) {
    notes.push(`Would run outside of the sandbox, renamed to NAME.blocked: ${listOf(blocked)}`)
  }
  if (left.length > 0)
    notes.push(`Not safe: would run outside of the sandbox, and cannot be renamed: ${listOf(left)}`)
  if (unseen.length > 0) {
    notes.push(`Not safe: not searched for what would run outside of the sandbox: ${listOf(unseen)}`)
  }
  if (isPartial) {
    notes.push(
      `Not safe: there are more than ${maxFolders.toLocaleString("en-US")} folders, and not all of them were searched for what would run outside of the sandbox. Call no git there, and open nothing of it in an editor or with an agent, before somebody has looked.`,
    )
  }
  return notes
}
