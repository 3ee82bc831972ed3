// @module-tag waits
// @module-tag node
import { spawn } from "node:child_process"
import { once } from "node:events"
import { text } from "node:stream/consumers"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { endProcesses } from "../../src/io/end-processes.ts"
import { startTimeOf } from "../../src/io/process-table.ts"
import { isRunning } from "./process-state.ts"

/** A process that leads a group, and when it started. */
const startLeader = async () => {
  const child = spawn("sleep", ["600"], { detached: true, stdio: "ignore" })
  onTestFinished(() => void child.kill("SIGKILL"))
  await once(child, "spawn")
  const leader = child.pid!
  return { leader, startTime: startTimeOf(leader)! }
}

describe("the end of a run", () => {
  it("ends its leader", async () => {
    const { leader, startTime } = await startLeader()
    expect(await endProcesses({ leader, startTime, mark: "no such mark", pipes: [] })).toEqual([])
    expect(isRunning(leader)).toBe(false)
  })

  it("asks what leaves the group while it is told to end", async () => {
    vi.spyOn(performance, "now").mockReturnValue(0)
    onTestFinished(() => void vi.restoreAllMocks())
    const leaver = "trap 'exec setsid sleep 600 > /dev/null' TERM; echo ready; sleep 600 & wait"
    const command = `trap : TERM; (${leaver}) & wait $!; wait $!; echo $?`
    const child = spawn("bash", ["-c", command], { detached: true, stdio: ["ignore", "pipe", "inherit"] })
    onTestFinished(() => void child.kill("SIGKILL"))
    const told = text(child.stdout)
    await once(child.stdout, "readable")
    const run = { leader: child.pid!, startTime: startTimeOf(child.pid!), mark: "no such mark", pipes: [] }
    expect(await endProcesses(run)).toEqual([])
    expect(await told).toBe("ready\n143\n")
  })

  it("leaves alone who has got the number of its leader since", async () => {
    const { leader, startTime } = await startLeader()
    const run = { leader, startTime: startTime - 1, mark: "no such mark", pipes: [] }
    expect(await endProcesses(run)).toEqual([])
    expect(isRunning(leader)).toBe(true)
  })
})
