/** Ends a command and all that it started, also what has left its process group. POSIX only. */
import { setTimeout as delay } from "node:timers/promises"
import { findProcessesOf, ownsGroup, type ProcessEntry, type RunIdentity } from "./process-table.ts"

/** A process that goes on though it should have ended. */
export interface LeftProcess {
  readonly pid: number
  readonly name: string
}

/** How long processes may take to end themselves after SIGTERM, in milliseconds. */
const termGrace = 500
/** How long to wait for the kernel to carry SIGKILL out. */
const killGrace = 2000

/** False where there is no such process or group, or none that we may signal. */
const send = (id: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(id, signal)
  } catch {
    return false
  }
}

const isInGroup = (process: LeftProcess, { leader }: RunIdentity): boolean =>
  process.pid === -leader || (process as Partial<ProcessEntry>).group === leader

/** Those that have not ended. Where the system does not list them, the group is all that is known of them. */
const findAlive = async (run: RunIdentity): Promise<ReadonlyArray<LeftProcess>> => {
  const entries = await findProcessesOf(run)
  if (entries !== undefined) return entries
  return send(-run.leader, 0) ? [{ pid: -run.leader, name: "a process group" }] : []
}

/**
 * Sends a signal to the group, and to each process that is not in it once it is found. Resolves with what is left: when
 * nothing is that took the signal, or when the time is over. An end that is not a child's has no event, so the few
 * milliseconds of an ending are polled.
 */
const signalUntilEnded = async (
  run: RunIdentity,
  signal: NodeJS.Signals,
  milliseconds: number,
): Promise<ReadonlyArray<LeftProcess>> => {
  const deadline = performance.now() + milliseconds
  const told = new Map<number, { readonly asMember: boolean; readonly took: boolean }>()
  // Before the first signal: what has nothing but its parent to be known by is found while that lives.
  let alive = await findAlive(run)
  const isGroupTold = ownsGroup(run) && send(-run.leader, signal)
  for (let pause = 5; ; pause *= 2) {
    for (const process of alive) {
      const { pid } = process
      const asMember = isInGroup(process, run)
      const before = told.get(pid)
      // Who has left the group since may have done so before its signal.
      if (before === undefined || (before.asMember && !asMember)) {
        told.set(pid, { asMember, took: asMember ? isGroupTold : send(pid, signal) })
      }
    }
    const left = deadline - performance.now()
    if (left <= 0 || !alive.some(({ pid }) => told.get(pid)?.took)) return alive
    await delay(Math.min(pause, left))
    alive = await findAlive(run)
  }
}

/**
 * Asks all that bears a mark, is of a leader's session, or writes to its pipes, to end, then kills what is left. Gives what
 * could not be ended, such as another user's process.
 */
export const endProcesses = async (
  identity: Omit<RunIdentity, "known">,
): Promise<ReadonlyArray<LeftProcess>> => {
  const run = { ...identity, known: new Map<number, number>() }
  const stubborn = await signalUntilEnded(run, "SIGTERM", termGrace)
  return stubborn.length === 0 ? [] : signalUntilEnded(run, "SIGKILL", killGrace)
}
