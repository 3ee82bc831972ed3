/** Tells whether a process of this machine still runs, although its id may have been given to another process. */
import { readFileSync } from "node:fs"

/** A process of this machine. */
export interface ProcessIdentity {
  readonly pid: number
  /** When the process began, in ticks since the boot. Absent where the system does not tell. */
  readonly began?: string
}

const beginOf = (pid: number): string | undefined => {
  try {
    const status = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name of the process, which stands before, may hold blanks and brackets.
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

/** Whether the process has ended. A process of another user may be looked at, too. */
export const isDead = ({ pid, began }: ProcessIdentity): boolean => {
  try {
    process.kill(pid, 0)
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === "ESRCH"
  }
  const now = beginOf(pid)
  return began !== undefined && now !== undefined && began !== now
}
