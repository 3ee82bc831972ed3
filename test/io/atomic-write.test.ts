// @module-tag waits
import { chmod, link, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { localFiles } from "../../src/io/index.ts"
import { useTempFolder } from "./temp-folder.ts"

const path = useTempFolder()
const bytes = (text: string) => Buffer.from(text)

describe("replace", () => {
  it("keeps the mode and leaves nothing else in the folder", async () => {
    await writeFile(path("script"), "old")
    await chmod(path("script"), 0o751)
    await localFiles.replace(path("script"), bytes("new"))
    expect(await readFile(path("script"), "utf8")).toBe("new")
    expect((await stat(path("script"))).mode & 0o7777).toBe(0o751)
    expect(await readdir(path())).toEqual(["script"])
  })

  it("leaves the other names of a file what they were, and gives the new content to those that are named", async () => {
    await mkdir(path("folder"))
    await writeFile(path("one"), "old")
    for (const name of ["folder/two", "three"]) await link(path("one"), path(name))
    await localFiles.replace(path("one"), bytes("new"), undefined, [path("folder/two")])
    expect(await readFile(path("folder/two"), "utf8")).toBe("new")
    expect(await readFile(path("three"), "utf8")).toBe("old")
    const [one, two] = [await stat(path("one")), await stat(path("folder/two"))]
    expect([one.ino, one.nlink]).toEqual([two.ino, 2])
    expect((await readdir(path("folder"))).concat(await readdir(path()))).toEqual([
      "two",
      "folder",
      "one",
      "three",
    ])
  })

  it("never shows a reader half of a content", async () => {
    const contents = ["a", "b"].map((letter) => letter.repeat(1_000_000))
    await writeFile(path("file"), contents[0]!)
    let writing = true
    const write = async () => {
      for (let round = 0; round < 20; round++)
        await localFiles.replace(path("file"), bytes(contents[round % 2]!))
      writing = false
    }
    const read = async () => {
      while (writing) expect(contents).toContain(await readFile(path("file"), "utf8"))
    }
    await Promise.all([write(), read()])
  })

  it("changes nothing once it is aborted", async () => {
    await writeFile(path("file"), "old")
    const controller = new AbortController()
    const replaced = localFiles.replace(path("file"), bytes("new"), controller.signal)
    controller.abort()
    await expect(replaced).rejects.toThrow("aborted")
    expect(await readFile(path("file"), "utf8")).toBe("old")
    expect(await readdir(path())).toEqual(["file"])
  })

  it("rejects where there is no file", async () => {
    await expect(localFiles.replace(path("file"), bytes("new"))).rejects.toMatchObject({ code: "ENOENT" })
    expect(await readdir(path())).toEqual([])
  })
})

describe("create", () => {
  it("makes the file with its folders, readable as the umask says", async () => {
    await localFiles.create(path("a/b/file"), bytes("text"))
    expect(await readFile(path("a/b/file"), "utf8")).toBe("text")
    expect((await stat(path("a/b/file"))).mode & 0o777).toBe(0o666 & ~process.umask())
    expect(await readdir(path("a/b"))).toEqual(["file"])
  })

  it("lets one of many win, and leaves its file alone", async () => {
    const attempts = Array.from({ length: 8 }, (_, index) =>
      localFiles.create(path("file"), bytes(`${index}`)),
    )
    const results = await Promise.allSettled(attempts)
    const winners = results.flatMap(({ status }, index) => (status === "fulfilled" ? [`${index}`] : []))
    expect(winners).toEqual([await readFile(path("file"), "utf8")])
    expect(results.find(({ status }) => status === "rejected")).toMatchObject({ reason: { code: "EEXIST" } })
    expect(await readdir(path())).toEqual(["file"])
  })

  it("makes no file once it is aborted", async () => {
    const controller = new AbortController()
    const created = localFiles.create(path("file"), bytes("text"), controller.signal)
    controller.abort()
    await expect(created).rejects.toThrow("aborted")
    expect(await readdir(path())).toEqual([])
  })
})
