/** The processes of this machine as Linux tells them in `/proc`, and which of them a run has started. */
import { readFileSync, readlinkSync } from "node:fs"
import { readdir, readFile, readlink } from "node:fs/promises"

export interface ProcessEntry {
  readonly pid: number
  readonly name: string
  readonly parent: number
  readonly group: number
  readonly session: number
  /** In clock ticks since the system started. */
  readonly startTime: number
}

/** How the processes of a run are told from others. */
export interface RunIdentity {
  /** The process that leads its group and its session. */
  readonly leader: number
  /** Stands in the environment of whatever it starts, also of what leaves the session. */
  readonly mark: string
  /** What it was given to write to, as `pipesOf` names it: most of what it starts writes there too. */
  readonly pipes: ReadonlyArray<string>
  /** When the leader started, as it was looked up then, if that is known: what is older is not looked at. */
  readonly startTime: number | undefined
  /** What was found before, with its start: it may have lost the parent by which it was known. */
  readonly known: Map<number, number>
}

/** Behind the name, whose field is the second of all. */
const startTimeField = 22 - 3

/** A line of `/proc/<pid>/stat`: `pid (name) state ppid pgrp session …`. */
const entryOf = (stat: string): ProcessEntry & { readonly hasEnded: boolean } => {
  const end = stat.lastIndexOf(")")
  const fields = stat.slice(end + 2).split(" ")
  const [state, parent, group, session] = fields
  return {
    hasEnded: end < 0 || state === "Z" || state === "X",
    pid: Number.parseInt(stat, 10),
    name: stat.slice(stat.indexOf("(") + 1, end),
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    startTime: Number(fields[startTimeField]),
  }
}

/** Undefined where nobody keeps the process any more, or the system does not tell. */
export const startTimeOf = (pid: number): number | undefined => {
  try {
    return entryOf(readFileSync(`/proc/${pid}/stat`, "latin1")).startTime
  } catch {
    return undefined
  }
}

/**
 * Whether a run's group and session are still its own. Once the leader and all its group have ended, the system may give
 * their number to a process of somebody else.
 */
export const ownsGroup = ({ leader, startTime }: Pick<RunIdentity, "leader" | "startTime">): boolean => {
  const now = startTimeOf(leader)
  return now === undefined || startTime === undefined || now === startTime
}

/** The descriptors that a process is given to write to. */
const outputs = [1, 2]

/**
 * The pipes that a process was started with, by names that no other pipe has: what empties its environment and loses its
 * parent is still known by them. None where the system does not tell.
 */
export const pipesOf = (pid: number): ReadonlyArray<string> => {
  try {
    const targets = outputs.map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
    return [...new Set(targets)].filter((target) => /^(?:socket|pipe):/.test(target))
  } catch {
    return []
  }
}

const holdsPipe = async ({ pid }: ProcessEntry, pipes: ReadonlyArray<string>): Promise<boolean> => {
  if (pipes.length === 0) return false
  const targets = outputs.map((fd) => readlink(`/proc/${pid}/fd/${fd}`).catch(() => ""))
  return (await Promise.all(targets)).some((target) => pipes.includes(target))
}

const readStat = async (pid: string): Promise<ProcessEntry | undefined> => {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1").catch(() => undefined)
  if (stat === undefined) return undefined
  const entry = entryOf(stat)
  return entry.hasEnded ? undefined : entry
}

/** Undefined where the system does not tell. What has ended is left out, also where nobody has reaped it. */
const readTable = async (): Promise<Array<ProcessEntry> | undefined> => {
  const names = await readdir("/proc").catch(() => undefined)
  const pids = names?.filter((name) => /^\d+$/.test(name))
  if (pids === undefined || pids.length === 0) return undefined
  const entries = await Promise.all(pids.map(readStat))
  return entries.filter((entry) => entry !== undefined)
}

/** Nobody may read it of another user's process. */
const hasMark = async ({ pid }: ProcessEntry, mark: string): Promise<boolean> => {
  const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "")
  return environment.includes(mark)
}

/** Those that have an ancestor among the found: also what has emptied its environment, or runs as another user. */
const addDescendants = (found: Set<ProcessEntry>, table: ReadonlyArray<ProcessEntry>): void => {
  const pids = new Set([...found].map(({ pid }) => pid))
  for (let size = -1; size !== found.size; ) {
    size = found.size
    for (const entry of table) {
      if (!pids.has(entry.parent) || found.has(entry)) continue
      found.add(entry)
      pids.add(entry.pid)
    }
  }
}

/** The processes of a run that have not ended, wherever they went. Undefined where the system does not tell. */
export const findProcessesOf = async (run: RunIdentity): Promise<Array<ProcessEntry> | undefined> => {
  const { leader, mark, pipes, startTime: firstStart = 0, known } = run
  const table = (await readTable())?.filter(({ startTime }) => startTime >= firstStart)
  if (table === undefined) return undefined
  // Behind the table: what is in the group of a number that is ours now was so when it was read.
  const isOwnGroup = ownsGroup(run)
  const found = new Set<ProcessEntry>()
  const look = async (entry: ProcessEntry): Promise<void> => {
    const { pid, group, session, startTime } = entry
    if (pid === process.pid) return
    const isInGroup = isOwnGroup && (group === leader || session === leader)
    const isMember = isInGroup || known.get(pid) === startTime
    if (isMember || (await hasMark(entry, mark)) || (await holdsPipe(entry, pipes))) found.add(entry)
  }
  await Promise.all(table.map(look))
  addDescendants(found, table)
  for (const { pid, startTime } of found) known.set(pid, startTime)
  return [...found]
}
