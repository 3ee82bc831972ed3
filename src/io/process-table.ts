/** The processes of this machine as listed in Linux's `/proc`, and which of them a run has started. */
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

/** How the processes of a run are distinguished from others. */
export interface RunIdentity {
  /** The process that leads its group and its session. */
  readonly leader: number
  /** A string in the environment of every process of the run, also of those that leave the session. */
  readonly mark: string
  /** The pipes for its output, as named by `pipesOf`: most of its child processes write there too. */
  readonly pipes: ReadonlyArray<string>
  /** The start time of the leader, if known: older processes are skipped. */
  readonly startTime: number | undefined
  /** The processes found earlier, pid to start time: they may have lost the parent that linked them to the run. */
  readonly known: Map<number, number>
}

/** Index of the start time (field 22 in proc(5)) in the fields after the name. */
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

/** Returns undefined if the process no longer exists, or the system does not report it. */
export const startTimeOf = (pid: number): number | undefined => {
  try {
    return entryOf(readFileSync(`/proc/${pid}/stat`, "latin1")).startTime
  } catch {
    return undefined
  }
}

/**
 * Whether a run's group and session are still its own. Once the leader and all its group have ended, the system can reuse
 * the number for another process.
 */
export const ownsGroup = ({ leader, startTime }: Pick<RunIdentity, "leader" | "startTime">): boolean => {
  const now = startTimeOf(leader)
  return now === undefined || startTime === undefined || now === startTime
}

/** The output descriptors of a process. */
const outputs = [1, 2]

/**
 * The pipes that a process was started with, by unique names: they identify even a process that empties its environment and
 * loses its parent. Empty if the system does not report them.
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

/** Resolves with undefined if the system has no `/proc`. Omits processes that have ended, also unreaped ones. */
const readTable = async (): Promise<Array<ProcessEntry> | undefined> => {
  const names = await readdir("/proc").catch(() => undefined)
  const pids = names?.filter((name) => /^\d+$/.test(name))
  if (pids === undefined || pids.length === 0) return undefined
  const entries = await Promise.all(pids.map(readStat))
  return entries.filter((entry) => entry !== undefined)
}

/** Whether the environment contains the mark. That of another user's process is unreadable. */
const hasMark = async ({ pid }: ProcessEntry, mark: string): Promise<boolean> => {
  const environment = await readFile(`/proc/${pid}/environ`, "latin1").catch(() => "")
  return environment.includes(mark)
}

/** Adds the descendants of the found processes: this covers those that emptied their environment, or run as another user. */
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

/**
 * Finds the live processes of a run, also those that left its group. Resolves with undefined if the system does not list
 * processes.
 */
export const findProcessesOf = async (run: RunIdentity): Promise<Array<ProcessEntry> | undefined> => {
  const { leader, mark, pipes, startTime: firstStart = 0, known } = run
  const table = (await readTable())?.filter(({ startTime }) => startTime >= firstStart)
  if (table === undefined) return undefined
  // Check this after reading the table: if the group number is ours now, it was ours when the table was read.
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
