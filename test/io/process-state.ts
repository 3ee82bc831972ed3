/** Whether a process runs, as the system sees it. One that ended and was not reaped does not. */
import { spawnSync } from "node:child_process"

export const isRunning = (pid: number): boolean => {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", String(pid)], { encoding: "utf8" })
  return stdout.trim() !== "" && !stdout.startsWith("Z")
}
