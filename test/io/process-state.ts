/** Whether a process runs, as the system sees it. One that ended and was not reaped does not. */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"

const stateOf = (pid: number): string => {
  if (process.platform !== "linux") {
    return spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" }).stdout.trim()
  }
  // Here no `ps` has to be installed. It stands after the program's name, which may hold anything.
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)!
  } catch {
    return ""
  }
}

export const isRunning = (pid: number): boolean => !/^(?:Z|X|$)/.test(stateOf(pid))
