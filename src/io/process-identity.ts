/** Detects whether a process of this machine still runs, even if its id was reused by another process. */
import { readFileSync } from "node:fs"

/** A process of this machine. */
export interface ProcessIdentity {
  readonly pid: number
  /** When the process began, in ticks since the boot. Absent if the system does not report it. */
  readonly began?: string
}

const beginOf = (pid: number): string | undefined => {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The process name, which precedes these fields, can contain spaces and parentheses.
    return status.slice(status.lastIndexOf(")") + 2).split(" ")[19]
  } catch {
    return undefined
  }
}

/** This process. */
export const thisProcess = (): ProcessIdentity => {
  const began = beginOf(process.pid)
  return { pid: process.pid, ...(began !== undefined && { began }) }
}

/** Whether the process has ended. Works for processes of other users, too. */
export const isDead = ({ pid, began }: ProcessIdentity): boolean => {
  try {
    process.kill(pid, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "ESRCH"
  }
  const now = beginOf(pid)
  return began !== undefined && now !== undefined && began !== now
}
