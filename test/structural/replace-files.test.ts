// @module-tag waits
import { chmod, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { type Files, localFiles } from "../../src/io/index.ts"
import { replaceFiles } from "../../src/structural/replace-files.ts"
import { readSource, withText } from "../../src/structural/source-text.ts"
import { useTempFolder } from "../io/temp-folder.ts"

const path = useTempFolder()
const names = ["a", "b", "c"]
const never = new AbortController().signal

const make = async () => {
  for (const name of names) await writeFile(path(name), `old ${name}`)
}
const replacements = () =>
  names.map((name) => ({
    path: name,
    real: path(name),
    before: Buffer.from(`old ${name}`),
    after: Buffer.from(`new ${name}`),
  }))
const contents = () => Promise.all(names.map((name) => readFile(path(name), "utf8").catch(() => "gone")))
const failure = (code: string) => Object.assign(new Error(`${code}: no`), { code })

/** This machine's files, but for what happens when `name` is written. */
const filesWith = (name: string, onReplace: Files["replace"]): Files => ({
  ...localFiles,
  replace: (real, content, signal) =>
    real === path(name) ? onReplace(real, content, signal) : localFiles.replace(real, content, signal),
})

describe("replaceFiles", () => {
  it("writes all files and keeps their modes", async () => {
    await make()
    await chmod(path("b"), 0o750)
    await replaceFiles(localFiles, replacements(), never)
    expect(await contents()).toEqual(["new a", "new b", "new c"])
    expect((await stat(path("b"))).mode & 0o777).toBe(0o750)
  })

  it("puts back what it wrote where one file cannot be written, and says which", async () => {
    await make()
    const files = filesWith("c", () => Promise.reject(failure("EACCES")))
    await expect(replaceFiles(files, replacements(), never)).rejects.toThrow(
      "Cannot write c: permission denied. Put back: a, b. No file is changed.",
    )
    expect(await contents()).toEqual(["old a", "old b", "old c"])
  })

  it("leaves a file whole where writing it in place fails", async () => {
    await make()
    const files = filesWith("b", async (real, content) => {
      if (Buffer.from(content).toString() === "old b") return localFiles.replace(real, content)
      await writeFile(real, "ne")
      throw failure("ENOSPC")
    })
    await expect(replaceFiles(files, replacements(), never)).rejects.toThrow(
      "Cannot write b: no space left on the device. Put back: a. No file is changed.",
    )
    expect(await readFile(path("b"), "utf8")).toBe("old b")
  })

  it.each([
    ["is another one", () => writeFile(path("b"), "mine!")],
    ["is gone", () => rm(path("b"))],
    ["is a folder", () => rm(path("b")).then(() => mkdir(path("b")))],
  ])("touches nothing more where a file %s by now", async (_what, change) => {
    await make()
    await change()
    const before = await contents()
    await expect(replaceFiles(localFiles, replacements(), never)).rejects.toThrow(
      "b changed since the preview. Discard the preview with the resolve tool and run ast_edit again. Put back: a. No file is changed.",
    )
    expect(await contents()).toEqual(before)
  })

  it("names what it could not put back, and leaves what somebody else wrote", async () => {
    await make()
    const files = filesWith("c", async () => {
      await writeFile(path("a"), "theirs")
      throw failure("EROFS")
    })
    await expect(replaceFiles(files, replacements(), never)).rejects.toThrow(
      "Cannot write c: the file system is read-only. These files could not be put back: a (changed meanwhile). Check them.",
    )
    expect(await contents()).toEqual(["theirs", "old b", "old c"])
  })

  it.each(["b", "c"])("puts back what it wrote where it is aborted during %s", async (name) => {
    await make()
    const controller = new AbortController()
    const files = filesWith(name, async (real, content) => {
      await localFiles.replace(real, content)
      controller.abort(new Error("enough"))
    })
    await expect(replaceFiles(files, replacements(), controller.signal)).rejects.toThrow("enough")
    expect(await contents()).toEqual(["old a", "old b", "old c"])
  })
})

describe("readSource", () => {
  it("tells why a file holds no source text", async () => {
    await writeFile(path("big"), "x".repeat(2_000_001))
    await writeFile(path("limit"), "x".repeat(2_000_000))
    await writeFile(path("binary"), "a\0b")
    await writeFile(path("latin"), Buffer.from([0x61, 0xe9, 0x62]))
    expect(await readSource(localFiles, path("big"))).toEqual({
      reason: "2000001 bytes, the limit is 2000000",
    })
    expect(await readSource(localFiles, path("limit"))).toHaveProperty("text")
    expect(await readSource(localFiles, path("binary"))).toEqual({ reason: "binary" })
    expect(await readSource(localFiles, path("latin"))).toEqual({ reason: "not UTF-8 text" })
    expect(await readSource(localFiles, path("none"))).toEqual({ reason: "no longer a file" })
  })

  it("gives the text without a byte order mark, which a new text gets again", async () => {
    await writeFile(path("marked"), "\uFEFFa")
    const source = await readSource(localFiles, path("marked"))
    if ("reason" in source) throw new Error(source.reason)
    expect(source.text).toBe("a")
    expect(Buffer.from(withText(source, "b")).toString()).toBe("\uFEFFb")
    await writeFile(path("plain"), "a")
    const plain = await readSource(localFiles, path("plain"))
    if ("reason" in plain) throw new Error(plain.reason)
    expect(Buffer.from(withText(plain, "b")).toString()).toBe("b")
  })
})
