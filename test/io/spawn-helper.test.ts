// @module-tag waits
// @module-tag node
import { existsSync } from "node:fs"
import { readdir, readFile, readlink } from "node:fs/promises"
import { dirname } from "node:path"
import { describe, expect, it } from "vitest"
import { makeLocalProcesses } from "../../src/io/index.ts"
import { testProcesses } from "./process-contract.ts"
import { isRunning } from "./process-state.ts"

const helped = makeLocalProcesses({ spawnHelper: "always" })

testProcesses(helped)

const print = async (command: string, processes = helped): Promise<string> => {
  let text = ""
  await processes.run({
    command: "bash",
    args: ["-c", command],
    cwd: "/",
    onOutput: (_, bytes) => {
      text += Buffer.from(bytes).toString()
    },
  })
  return text.trim()
}

const parentOf = async (pid: number): Promise<number> => {
  const stat = await readFile(`/proc/${pid}/stat`, "latin1")
  return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])
}

describe("the spawn helper", () => {
  it("is the parent of what it starts, a child of this process, and one for all", async () => {
    const parents = await Promise.all(Array.from({ length: 20 }, () => print("echo $PPID")))
    expect(new Set(parents).size).toBe(1)
    expect(Number(parents[0])).not.toBe(process.pid)
    expect(await parentOf(Number(parents[0]))).toBe(process.pid)
  })

  it("keeps what commands print apart, many at once", async () => {
    const numbers = Array.from({ length: 100 }, (_, index) => String(index))
    expect(await Promise.all(numbers.map((number) => print(`echo ${number}`)))).toEqual(numbers)
  })

  it("hands no descriptor on but the three", async () => {
    // This process itself may have inherited one that it hands on.
    const list = "ls /proc/$$/fd; true"
    expect(await print(list)).toBe(await print(list, makeLocalProcesses({ spawnHelper: "never" })))
  })

  it("gives pipes that a program may wait on: they do not refuse what is not read yet", async () => {
    const flags = await print("grep -h flags /proc/$$/fdinfo/1 /proc/$$/fdinfo/2; true")
    expect(flags).toBe("flags:\t02\nflags:\t02")
  })

  it("that is ended ends its commands with a failure, and another one takes its place", async () => {
    const first = Number(await print("echo $PPID"))
    let pid = 0
    const run = helped.run({
      command: "bash",
      args: ["-c", "echo $$; sleep 600"],
      cwd: "/",
      onOutput: (_, bytes) => {
        pid = Number(Buffer.from(bytes).toString())
        process.kill(first, "SIGKILL")
      },
    })
    await expect(run).rejects.toThrow("The helper that starts processes was ended. Try again.")
    expect(isRunning(pid)).toBe(false)
    const second = Number(await print("echo $PPID"))
    expect(second).not.toBe(first)
    expect(await parentOf(second)).toBe(process.pid)
  })

  it("that is ended leaves no folder", async () => {
    const pid = Number(await print("echo $PPID"))
    const [socket = ""] = (await readFile(`/proc/${pid}/cmdline`, "utf8")).split("\0").slice(-2)
    expect(existsSync(socket)).toBe(true)
    process.kill(pid, "SIGKILL")
    await expect.poll(() => existsSync(dirname(socket))).toBe(false)
  })
})

const openDescriptors = async (): Promise<Array<string>> => {
  const names = await readdir("/proc/self/fd")
  const links = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")))
  return links.filter((link) => /^(socket|pipe):/.test(link))
}

describe("two hundred runs", () => {
  it.each(["never", "always"] as const)(
    "leave no descriptor open: with the helper %s",
    async (spawnHelper) => {
      const processes = makeLocalProcesses({ spawnHelper })
      await print("true", processes)
      await print("true", processes)
      const before = await openDescriptors()
      let left = 200
      const next = async (): Promise<void> => {
        while (left-- > 0) await print("echo text; echo text >&2", processes)
      }
      await Promise.all(Array.from({ length: 4 }, next))
      // A pipe whose end comes late is closed late.
      await expect.poll(async () => (await openDescriptors()).length).toBeLessThanOrEqual(before.length)
    },
  )
})
