/**
 * The log of changes, so that a later process can undo them: a file for each process, in a private folder of the user's state folder. Each
 * change has a line before it and one after, so that a process that is killed in between leaves a trace.
 */
import { randomUUID } from "node:crypto"
import { openSync, writeSync } from "node:fs"
import { readdir, readFile, realpath, rm } from "node:fs/promises"
import { join } from "node:path"
import { privateFolder } from "../private-folder.ts"
import { isDead, type ProcessIdentity, thisProcess } from "../process-identity.ts"
import { stateFolder } from "../state-folder.ts"
import { type KeepBounds, newestFirst } from "./kept-content.ts"
import type { PathState } from "./path-state.ts"

/** The call that makes a change, as logged. */
export interface ChangeOrigin {
  /** The working directory of its executor. */
  readonly cwd: string
}

/** A path, its state before, its state after or, before the change is made, the hash that its content will have, if known. */
export interface LoggedPath {
  readonly path: string
  readonly before: PathState
  readonly after?: PathState
  readonly expected?: string
}

type Line =
  | {
      readonly id: number
      readonly at: number
      readonly origin: ChangeOrigin
      readonly begins: Array<LoggedPath>
    }
  | { readonly id: number; readonly ends: Array<LoggedPath> }
  | { readonly at: number; readonly origin: ChangeOrigin; readonly unknown: string }

/** A change by a call of this or an earlier process. */
export interface LoggedChange {
  /** The name of the log of its process. */
  readonly session: string
  readonly at: number
  readonly origin: ChangeOrigin
  readonly paths: ReadonlyArray<LoggedPath>
  readonly unknown?: string
  /** Whether its process ended before the line after the change. */
  readonly isCutOff: boolean
}

const suffix = ".jsonl"

/** Bytes of all files together. */
const maxLogBytes = 50_000_000

const folderOf = (): string => join(stateFolder(), "undo-log")

/** Deletes logs that are too old and, above the bound, the oldest. */
const prune = async (folder: string, { maxAge }: KeepBounds): Promise<void> => {
  let bytes = 0
  for (const { path, at, size } of await newestFirst(folder)) {
    if (!path.endsWith(suffix)) continue
    bytes += size
    if (bytes > maxLogBytes || at < Date.now() - maxAge) await rm(path, { force: true })
  }
}

/** The log of one process. */
export class ChangeLog {
  private readonly path: string
  private file: number | undefined
  private ids = 0

  constructor(folder: string) {
    const { pid, began = "" } = thisProcess()
    this.path = join(folder, `${pid}-${began}-${randomUUID().slice(0, 8)}${suffix}`)
  }

  /** Logs the states before a change. Returns an id for `ends`. */
  begins(origin: ChangeOrigin, paths: Array<LoggedPath>): number {
    this.ids += 1
    this.write({ id: this.ids, at: Date.now(), origin, begins: paths })
    return this.ids
  }

  /** Logs the states after a change. `paths`: empty if nothing was changed. */
  ends(id: number, paths: Array<LoggedPath>): void {
    this.write({ id, ends: paths })
  }

  unknown(origin: ChangeOrigin, what: string): void {
    this.write({ at: Date.now(), origin, unknown: what })
  }

  /** Writes synchronously, because the change follows. If that fails, only this process knows the change. */
  private write(line: Line): void {
    try {
      this.file ??= openSync(this.path, "ax", 0o600)
      // Begins a line of its own, because a full disk can have cut off the one before.
      writeSync(this.file, `\n${JSON.stringify(line)}\n`)
    } catch {
      // For example a full disk.
    }
  }
}

const opened = new Map<string, Promise<ChangeLog | undefined>>()

const open = async (path: string, bounds: KeepBounds): Promise<ChangeLog | undefined> => {
  const folder = await privateFolder(path)
  if (folder === undefined) return undefined
  void prune(folder, bounds).catch(() => {})
  return new ChangeLog(folder)
}

/** The log of this process; undefined if its folder cannot be made. */
export const changeLog = (bounds: KeepBounds): Promise<ChangeLog | undefined> => {
  const path = folderOf()
  const log = opened.get(path) ?? open(path, bounds)
  opened.set(path, log)
  return log
}

/** The process whose log has this name. */
const processOf = (session: string): ProcessIdentity => {
  const [pid, began] = session.split("-")
  return { pid: Number(pid), ...(began !== "" && { began: began! }) }
}

/** A line that was cut off, by the end of its process or a full disk, is skipped. */
const linesOf = (text: string): Array<Line> =>
  text.split("\n").flatMap((line) => {
    try {
      return [JSON.parse(line) as Line]
    } catch {
      return []
    }
  })

const changesIn = (session: string, text: string): Array<LoggedChange> => {
  const changes: Array<LoggedChange> = []
  const open = new Map<number, Extract<Line, { begins: unknown }>>()
  for (const line of linesOf(text)) {
    if ("begins" in line) open.set(line.id, line)
    else if ("unknown" in line) changes.push({ session, ...line, paths: [], isCutOff: false })
    else {
      const { at, origin } = open.get(line.id) ?? {}
      open.delete(line.id)
      if (at !== undefined && line.ends.length > 0)
        changes.push({ session, at, origin: origin!, paths: line.ends, isCutOff: false })
    }
  }
  if (!isDead(processOf(session))) return changes
  const cut = [...open.values()].map(({ at, origin, begins }) => ({
    session,
    at,
    origin,
    paths: begins,
    isCutOff: true,
  }))
  return [...changes, ...cut]
}

/** The changes by executors with this working directory, under any of its names, also in other processes, the oldest first. */
export const loggedChanges = async (cwd: string): Promise<Array<LoggedChange>> => {
  const folder = folderOf()
  const places = new Map<string, string>()
  const placeOf = async (path: string): Promise<string> => {
    const place = places.get(path) ?? (await realpath(path).catch(() => path))
    places.set(path, place)
    return place
  }
  const place = await placeOf(cwd)
  const changes: Array<LoggedChange> = []
  for (const name of (await readdir(folder).catch(() => [])).filter((each) => each.endsWith(suffix))) {
    const text = await readFile(join(folder, name), "utf8").catch(() => "")
    for (const change of changesIn(name.slice(0, -suffix.length), text))
      if ((await placeOf(change.origin.cwd)) === place) changes.push(change)
  }
  return changes.sort((one, other) => one.at - other.at)
}
