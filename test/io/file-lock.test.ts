// @module-tag waits
import { spawn } from "node:child_process"
import { once } from "node:events"
import { readdir, readFile, utimes, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { withFileLock } from "../../src/io/file-lock.ts"
import { compileScript } from "../support/run-script.ts"
import { useTempFolder } from "./temp-folder.ts"

const path = useTempFolder()

/** Only the death of a holder makes its lock stale. */
const ageless = { staleAfter: Number.POSITIVE_INFINITY }

/** A lock as a process left it that was killed while it held it. */
const leaveBehind = async (name: string): Promise<string> => {
  const script = await compileScript("test/io/lock-holder.ts")
  const holder = spawn(process.execPath, [script, path(name)], {
    stdio: ["ignore", "pipe", "inherit"],
  })
  await once(holder.stdout, "data")
  holder.kill("SIGKILL")
  await once(holder, "exit")
  return (JSON.parse(await readFile(path(name), "utf8")) as { token: string }).token
}

describe("withFileLock", () => {
  it("lets one in at a time, gives what the work gave, and leaves nothing", async () => {
    let inside = 0
    const work = async () => {
      inside++
      await writeFile(path("file"), String(inside))
      return inside--
    }
    const results = await Promise.all(
      Array.from({ length: 20 }, () => withFileLock(path("lock"), work, ageless)),
    )
    expect(results).toEqual(Array.from({ length: 20 }, () => 1))
    expect(await readdir(path())).toEqual(["file"])
  })

  it("is free again after work that failed", async () => {
    const failing = () => Promise.reject(new Error("no"))
    await expect(withFileLock(path("lock"), failing)).rejects.toThrow("no")
    expect(await withFileLock(path("lock"), async () => "yes")).toBe("yes")
  })

  it("recovers the lock of a dead process, for one of many at a time", async () => {
    await leaveBehind("lock")
    let inside = 0
    let most = 0
    const work = async () => {
      most = Math.max(most, ++inside)
      await writeFile(path("file"), "x")
      inside--
    }
    await Promise.all(Array.from({ length: 20 }, () => withFileLock(path("lock"), work, ageless)))
    expect(most).toBe(1)
    expect(await readdir(path())).toEqual(["file"])
  })

  it("leaves the lock of a dead process to the one that is recovering it", async () => {
    const dead = await leaveBehind("lock")
    const alive = JSON.stringify({ pid: process.pid, host: "elsewhere", token: "recovering" })
    await writeFile(path(`lock.${dead}`), alive)
    const impatient = { ...ageless, timeout: 0 }
    await expect(withFileLock(path("lock"), async () => {}, impatient)).rejects.toThrow(
      "is locked by process",
    )
    expect((await readdir(path())).toSorted()).toEqual(["lock", `lock.${dead}`])
  })

  it("recovers where a process died while it recovered", async () => {
    const dead = await leaveBehind("lock")
    await leaveBehind(`lock.${dead}`)
    expect(await withFileLock(path("lock"), async () => "mine", ageless)).toBe("mine")
    expect(await readdir(path())).toEqual([])
  })

  it.skipIf(process.platform !== "linux")(
    "is not held by another process that has the dead holder's id by now",
    async () => {
      const ours = await withFileLock(path("lock"), () => readFile(path("lock"), "utf8"))
      await writeFile(path("lock"), JSON.stringify({ ...JSON.parse(ours), began: "1" }))
      expect(await withFileLock(path("lock"), async () => "mine", ageless)).toBe("mine")
      await writeFile(path("lock"), ours)
      await expect(withFileLock(path("lock"), async () => {}, { ...ageless, timeout: 0 })).rejects.toThrow(
        `${path("lock")} is locked by process ${process.pid}. If nothing uses it any more, delete that file.`,
      )
    },
  )

  it.each([
    ["of a process elsewhere", () => JSON.stringify({ pid: process.pid, host: "elsewhere", token: "t" })],
    ["that names nobody", () => ""],
  ])("takes a lock %s for left behind once it is old, and not before", async (_, content) => {
    await writeFile(path("lock"), content())
    await expect(withFileLock(path("lock"), async () => {}, { timeout: 0 })).rejects.toThrow(
      /lock is locked.*\. If nothing uses it any more, delete that file\.$/,
    )
    await utimes(path("lock"), 0, 0)
    expect(await withFileLock(path("lock"), async () => "mine")).toBe("mine")
  })

  it("leaves a lock of a living process of this machine, however old it is", async () => {
    await withFileLock(path("lock"), async (ensureHeld) => {
      await utimes(path("lock"), 0, 0)
      await expect(withFileLock(path("lock"), async () => {}, { timeout: 0 })).rejects.toThrow(
        `is locked by process ${process.pid}`,
      )
      await ensureHeld()
    })
  })

  it("says who holds a lock that does not become free", async () => {
    await withFileLock(path("lock"), async () => {
      await expect(withFileLock(path("lock"), async () => {}, { timeout: 0 })).rejects.toThrow(
        `${path("lock")} is locked by process ${process.pid}. If nothing uses it any more, delete that file.`,
      )
    })
  })

  it("stops waiting when its signal is aborted", async () => {
    const controller = new AbortController()
    await withFileLock(path("lock"), async () => {
      const waiting = withFileLock(path("lock"), async () => {}, { signal: controller.signal })
      controller.abort()
      await expect(waiting).rejects.toMatchObject({ name: "AbortError" })
    })
  })

  it("tells work whose lock was broken, and leaves the lock to its new holder", async () => {
    await withFileLock(path("lock"), async (ensureHeld) => {
      await ensureHeld()
      await writeFile(path("lock"), JSON.stringify({ pid: 1, host: "elsewhere", token: "other" }))
      await expect(ensureHeld()).rejects.toThrow("was lost: another process broke it.")
    })
    expect(await readFile(path("lock"), "utf8")).toContain("other")
  })
})
