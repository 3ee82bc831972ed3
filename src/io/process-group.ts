/** Ends a child and all that it started: the process group that a detached child leads. POSIX only. */
import { readdir, readFile } from "node:fs/promises"
import { setTimeout as delay } from "node:timers/promises"

/** How long a group may take to end itself after SIGTERM, in milliseconds. */
const termGrace = 500
/** How long to wait for the kernel to carry SIGKILL out. */
const killGrace = 200

/** False where there is no such group, or none that we may signal. */
const signalGroup = (groupId: number, signal: NodeJS.Signals | 0): boolean => {
  try {
    return process.kill(-groupId, signal)
  } catch {
    return false
  }
}

/** Whether a line of `/proc/<pid>/stat` is of a member of the group that has not ended: `pid (name) state ppid pgrp …`. */
const isLiveMember = (stat: string, groupId: number): boolean => {
  const [state, , group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return Number(group) === groupId && state !== "Z" && state !== "X"
}

/** False also for a group of zombies, which an init that reaps late or never (as in many containers) leaves behind. */
const isAlive = async (groupId: number): Promise<boolean> => {
  if (!signalGroup(groupId, 0)) return false
  const entries = await readdir("/proc").catch(() => undefined)
  if (entries === undefined) return true
  const stats = entries
    .filter((entry) => /^\d+$/.test(entry))
    .map((pid) => readFile(`/proc/${pid}/stat`, "latin1").catch(() => ""))
  return (await Promise.all(stats)).some((stat) => isLiveMember(stat, groupId))
}

/** A group's end has no event (its leader's exit is not it), so the few milliseconds of an ending are polled. */
const endsWithin = async (groupId: number, milliseconds: number): Promise<boolean> => {
  const deadline = performance.now() + milliseconds
  for (let pause = 5; performance.now() < deadline; pause *= 2) {
    await delay(Math.min(pause, deadline - performance.now()))
    if (!(await isAlive(groupId))) return true
  }
  return false
}

/** Asks the group to end, then kills what is left of it. Resolves when it is gone. */
export const endProcessGroup = async (groupId: number): Promise<void> => {
  if (!signalGroup(groupId, "SIGTERM")) return
  if (await endsWithin(groupId, termGrace)) return
  signalGroup(groupId, "SIGKILL")
  await endsWithin(groupId, killGrace)
}
