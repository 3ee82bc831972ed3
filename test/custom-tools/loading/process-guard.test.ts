// @module-tag node
import { setImmediate as nextTurn } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { runIsolated } from "../../../src/custom-tools/loading/isolation.ts"

const refused = (name: string, harm = "end"): string =>
  `/tool.ts called process.${name}, which would ${harm} the program that runs it`

describe("foreign code", () => {
  it.each(["exit", "reallyExit", "abort"] as const)("cannot call process.%s", (name) => {
    const functions = process as unknown as Record<string, () => never>
    expect(() => runIsolated("/tool.ts", () => functions[name]!())).toThrow(refused(name))
  })

  it("cannot do so later either", async () => {
    const work = async () => {
      await nextTurn()
      process.exit(1)
    }
    await expect(runIsolated("/tool.ts", work)).rejects.toThrow(refused("exit"))
  })

  it.each([
    ["itself", process.pid],
    ["its group", 0],
    ["its group by number", -process.pid],
  ])("cannot kill %s", (_whom, pid) => {
    // A signal that nobody knows would be refused by Node, after the guard.
    expect(() => runIsolated("/tool.ts", () => process.kill(pid, "SIGNONE"))).toThrow(refused("kill"))
  })

  it("may ask whether a process is there", () => {
    expect(runIsolated("/tool.ts", () => process.kill(process.pid, 0))).toBe(true)
  })

  it("cannot move the process to another folder", () => {
    // Threads, in which tests may run, have no folder of their own.
    expect(() => runIsolated("/tool.ts", () => process.chdir("/"))).toThrow(refused("chdir", "move"))
  })
})
