/** Ends a command and all processes it started, including those that left its process group. POSIX only. */
import { setTimeout as delay } from "node:timers/promises"
import { findProcessesOf, ownsGroup, type ProcessEntry, type RunIdentity } from "./process-table.ts"

/** A process that still runs although it should have ended. */
export interface LeftProcess {
  readonly pid: number
  readonly name: string
}

/** How long processes have to exit after SIGTERM, in milliseconds. */
const termGrace = 500
/** How long to wait for SIGKILL to take effect, in milliseconds. */
const killGrace = 2000

/** Returns false if there is no such process or group, or none that this process may signal. */
const send = (id: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(id, signal)
  } catch {
    return false
  }
}

const isInGroup = (process: LeftProcess, { leader }: RunIdentity): boolean =>
  process.pid === -leader || (process as Partial<ProcessEntry>).group === leader

/** The processes that have not ended. If the system does not list processes, only the group is known. */
const findAlive = async (run: RunIdentity): Promise<ReadonlyArray<LeftProcess>> => {
  const entries = await findProcessesOf(run)
  if (entries !== undefined) return entries
  return send(-run.leader, 0) ? [{ pid: -run.leader, name: "a process group" }] : []
}

/**
 * Sends a signal to the group, and to each process outside of it when it is found. Resolves with the remaining processes
 * once none of those that took the signal is left, or after the time limit. Only a child's exit has an event, so this polls
 * for a few milliseconds.
 */
const signalUntilEnded = async (
  run: RunIdentity,
  signal: NodeJS.Signals,
  milliseconds: number,
): Promise<ReadonlyArray<LeftProcess>> => {
  const deadline = performance.now() + milliseconds
  const told = new Map<number, { readonly asMember: boolean; readonly took: boolean }>()
  // Before the first signal: a process that is known only by its parent can be found only while the parent lives.
  let alive = await findAlive(run)
  const isGroupTold = ownsGroup(run) && send(-run.leader, signal)
  for (let pause = 5; ; pause *= 2) {
    for (const process of alive) {
      const { pid } = process
      const asMember = isInGroup(process, run)
      const before = told.get(pid)
      // A process that has left the group since may have left before the signal.
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
 * Sends SIGTERM to all processes that carry a mark, belong to a leader's session, or write to its pipes, then kills the
 * rest. Resolves with those that could not be ended, such as another user's process.
 */
export const endProcesses = async (
  identity: Omit<RunIdentity, "known">,
): Promise<ReadonlyArray<LeftProcess>> => {
  const run = { ...identity, known: new Map<number, number>() }
  const stubborn = await signalUntilEnded(run, "SIGTERM", termGrace)
  return stubborn.length === 0 ? [] : signalUntilEnded(run, "SIGKILL", killGrace)
}
