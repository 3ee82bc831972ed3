// @module-tag waits
import { execFileSync } from "node:child_process"
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs"
import { delimiter } from "node:path"
import { beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { localFiles } from "../../src/io/index.ts"
import { describeWith, needs } from "../support/needs.ts"
import { compileScript } from "../support/run-script.ts"
import { useTempFolder } from "./temp-folder.ts"

const path = useTempFolder()

const setList = (...args: ReadonlyArray<string>) => execFileSync("setfacl", args, { cwd: path() })
const listOf = (name: string): string =>
  execFileSync("getfacl", ["-cn", "--", name], { cwd: path(), encoding: "utf8" })
const replace = (name: string, text = "new") => localFiles.replace(path(name), Buffer.from(text))
const textOf = (name: string): string => readFileSync(path(name), "utf8")

describeWith("acl")("an access control list", () => {
  it.each(["u:1234:rw", "u:1234:r", "u:1234:-"])("with %s is kept by a new content", async (entry) => {
    writeFileSync(path("file"), "old")
    setList("-m", entry, "file")
    const before = listOf("file")
    expect(before).toContain("user:1234:")
    await replace("file", "longer than before")
    await replace("file")
    expect(listOf("file")).toBe(before)
    expect(textOf("file")).toBe("new")
    expect(readdirSync(path())).toEqual(["file"])
  })

  it("of the folder does not reach a file that had none", async () => {
    writeFileSync(path("file"), "old")
    chmodSync(path("file"), 0o640)
    const before = listOf("file")
    setList("-d", "-m", "u:1234:rwx", ".")
    await replace("file")
    expect([listOf("file"), textOf("file")]).toEqual([before, "new"])
  })

  it("of a file that has other names keeps it from being written", async () => {
    writeFileSync(path("file"), "old")
    setList("-m", "u:1234:rw", "file")
    linkSync(path("file"), path("other"))
    await expect(replace("file")).rejects.toThrow(
      `EMLINK: ${path("file")} has other names, and can only be written with them`,
    )
    expect([textOf("file"), textOf("other")]).toEqual(["old", "old"])
    expect(readdirSync(path())).toEqual(["file", "other"])
  })

  describe("that may be there", () => {
    /** Asks the real program, and counts. */
    const countAsked = (): (() => number) => {
      mkdirSync(path("bin"))
      mkdirSync(path("files"))
      const real = execFileSync("sh", ["-c", "command -v getfacl"], { encoding: "utf8" }).trim()
      writeFileSync(path("bin/getfacl"), `#!/bin/sh\necho asked >> ${path("asked")}\nexec ${real} "$@"\n`, {
        mode: 0o755,
      })
      writeFileSync(path("asked"), "")
      const { PATH } = process.env
      process.env.PATH = `${path("bin")}${delimiter}${PATH}`
      onTestFinished(() => {
        process.env.PATH = PATH
      })
      return () => textOf("asked").split("\n").length - 1
    }

    it("is asked for once, and again when the file's attributes were changed", async () => {
      const asked = countAsked()
      writeFileSync(path("files/one"), "old")
      await replace("files/one")
      expect(asked()).toBe(1)
      await replace("files/one", "newer")
      await replace("files/one", "newest")
      expect(asked()).toBe(1)
      chmodSync(path("files/one"), 0o600)
      await replace("files/one")
      expect(asked()).toBe(2)
    })

    it("is asked for once for the files of a folder, unless one of them, or the folder, has one", async () => {
      const asked = countAsked()
      const names = ["files/a", "files/b", "files/c"]
      const replaceAll = async () => {
        for (const name of names) writeFileSync(path(name), "old")
        await localFiles.prepareReplace?.(names.map(path))
        for (const name of names) await replace(name)
        return asked()
      }
      expect(await replaceAll()).toBe(1)
      setList("-m", "u:1234:rw", "files/b")
      const before = listOf("files/b")
      await replaceAll()
      expect(listOf("files/b")).toBe(before)
      setList("-d", "-m", "u:1234:rw", "files")
      await replaceAll()
      expect(listOf("files/a")).not.toContain("1234")
      expect(listOf("files/b")).toBe(before)
    })
  })
})

it("is seen by ls where getfacl is missing", async (test) => {
  needs(test, "acl")
  mkdirSync(path("bin"))
  const ls = execFileSync("sh", ["-c", "command -v ls"], { encoding: "utf8" }).trim()
  writeFileSync(path("bin/ls"), `#!/bin/sh\nexec ${ls} "$@"\n`, { mode: 0o755 })
  writeFileSync(path("file"), "old")
  setList("-m", "u:1234:r", "file")
  const before = listOf("file")
  const { PATH } = process.env
  process.env.PATH = path("bin")
  await replace("file").finally(() => {
    process.env.PATH = PATH
  })
  expect([listOf("file"), textOf("file")]).toEqual([before, "new"])
})

describe.runIf(process.getuid?.() === 0)("a process that may not give the file its owner", () => {
  /** As the user 1234, who is in no group of the file. */
  let script: string
  beforeAll(async () => {
    script = await compileScript("test/io/replace-as.ts")
  })
  const replaceAsOther = (name: string, text: string): string =>
    execFileSync(
      "setpriv",
      ["--reuid=1234", "--regid=1234", "--clear-groups", "--", process.execPath, script, path(name), text],
      { encoding: "utf8", env: { ...process.env, TMPDIR: path() } },
    )
  const share = (...names: ReadonlyArray<string>) => {
    chmodSync(path(), 0o777)
    for (const name of names) chmodSync(path(name), 0o666)
  }

  it("writes it in place, and leaves its owner, group and mode", () => {
    writeFileSync(path("file"), "the old content")
    chownSync(path("file"), 0, 4321)
    share("file")
    const { ino } = statSync(path("file"))
    expect(replaceAsOther("file", "new")).toBe("")
    const { uid, gid, mode, ino: now } = statSync(path("file"))
    expect({ uid, gid, mode: mode & 0o7777, ino: now }).toEqual({ uid: 0, gid: 4321, mode: 0o666, ino })
    expect(textOf("file")).toBe("new")
  })

  it("writes it in place in a folder that takes no new files", () => {
    mkdirSync(path("folder"))
    writeFileSync(path("folder/file"), "the old content")
    share("folder/file")
    expect(replaceAsOther("folder/file", "new")).toBe("")
    expect([textOf("folder/file"), readdirSync(path("folder"))]).toEqual(["new", ["file"]])
  })

  it("does not write a file that has other names", () => {
    writeFileSync(path("file"), "old")
    linkSync(path("file"), path("other"))
    share("file")
    expect(replaceAsOther("file", "new")).toBe("EMLINK")
    expect([textOf("file"), textOf("other")]).toEqual(["old", "old"])
  })
})

describe("what a killed write left behind", () => {
  const token = "0123456789abcdef0123456789abcdef"
  const left = [
    `.stepline-${"a".repeat(36)}.tmp`,
    `.stepline-${token}.lock`,
    `.stepline-${token}.lock.${token}`,
  ]
  const age = (name: string, minutes: number) => {
    const then = Date.now() / 1000 - minutes * 60
    utimesSync(path(name), then, then)
  }

  it.each<[string, () => Promise<void>]>([
    ["a replace", () => replace("file")],
    ["a create", () => localFiles.create(path("created"), Buffer.from("new"))],
  ])("is swept by %s in its folder after an hour", async (_what, write) => {
    writeFileSync(path("file"), "old")
    for (const name of left) {
      writeFileSync(path(name), "")
      age(name, 61)
    }
    const young = `.stepline-${"b".repeat(36)}.tmp`
    const others = [".stepline-notes.tmp", "old.tmp", ".stepline"]
    for (const name of [young, ...others]) {
      writeFileSync(path(name), "")
      age(name, name === young ? 59 : 6000)
    }
    await write()
    expect(
      readdirSync(path())
        .filter((name) => name !== "created")
        .toSorted(),
    ).toEqual([young, ...others, "file"].toSorted())
  })
})
