// @module-tag waits
import { link, mkdir, readdir, readFile, symlink, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { localFiles } from "../../src/io/index.ts"
import { makeFifo } from "./fifo.ts"
import { useTempFolder } from "./temp-folder.ts"

const path = useTempFolder()

describe("stat", () => {
  it("tells files, folders, links, others and nothing apart", async () => {
    await writeFile(path("file"), "12345")
    await symlink(path("file"), path("link"))
    await symlink(path("missing"), path("dangling"))
    expect(await localFiles.stat(path("file"))).toEqual({ kind: "file", size: 5 })
    expect(await localFiles.stat(path("link"))).toMatchObject({ kind: "other" })
    expect(await localFiles.stat(await localFiles.resolveLinks(path("link")))).toMatchObject({ size: 5 })
    expect(await localFiles.stat(path("missing"))).toBeUndefined()
    expect(await localFiles.stat(path())).toMatchObject({ kind: "directory" })
    expect(await localFiles.stat("/dev/null")).toMatchObject({ kind: "other" })
    expect(await localFiles.stat(path("dangling"))).toMatchObject({ kind: "other" })
    expect(await localFiles.stat(path("file/below"))).toBeUndefined()
  })

  it("tells the names of one file from those of others", async () => {
    await writeFile(path("one"), "1")
    await writeFile(path("other"), "1")
    await link(path("one"), path("two"))
    const { shared } = (await localFiles.stat(path("one")))!
    expect(shared).toEqual({ id: expect.any(String), names: 2 })
    expect(await localFiles.stat(path("two"))).toMatchObject({ shared })
    expect(await localFiles.stat(path("other"))).toEqual({ kind: "file", size: 1 })
  })
})

describe("resolveLinks", () => {
  it("follows links in what exists of a path and keeps the rest", async () => {
    await mkdir(path("real"))
    await symlink(path("real"), path("link"))
    expect(await localFiles.resolveLinks(path("link/new/file"))).toBe(path("real/new/file"))
  })

  it("follows a link to nothing, also as a folder of the path and by a relative target", async () => {
    await mkdir(path("real"))
    await symlink("../elsewhere", path("real/dangling"))
    expect(await localFiles.resolveLinks(path("real/dangling/file"))).toBe(path("elsewhere/file"))
  })

  it("rejects for links that go round in a circle", async () => {
    await symlink(path("b"), path("a"))
    await symlink(path("a"), path("b"))
    await expect(localFiles.resolveLinks(path("a/file"))).rejects.toMatchObject({ code: "ELOOP" })
  })
})

describe("chunks", () => {
  it("give a file's bytes in order", async () => {
    const content = Buffer.from(Array.from({ length: 600_000 }, (_, index) => index % 251))
    await writeFile(path("file"), content)
    const copies: Array<Buffer> = []
    for await (const chunk of localFiles.chunks(path("file"))) copies.push(Buffer.from(chunk))
    expect(copies.length).toBeGreaterThan(1)
    expect(Buffer.concat(copies).equals(content)).toBe(true)
  })

  it("do not wait for the writer of a FIFO", async () => {
    makeFifo(path("fifo"))
    await expect(localFiles.read(path("fifo"))).rejects.toThrow(
      `EFTYPE: ${path("fifo")} is not a regular file`,
    )
  })

  it("are of regular files only", async () => {
    await expect(localFiles.read("/dev/zero")).rejects.toMatchObject({ code: "EFTYPE" })
    await expect(localFiles.read(path())).rejects.toMatchObject({ code: "EFTYPE" })
  })

  it("end at a limit", async () => {
    await writeFile(path("file"), "12345")
    expect(Buffer.from(await localFiles.read(path("file"), 5)).toString()).toBe("12345")
    await expect(localFiles.read(path("file"), 4)).rejects.toThrow(
      `EFBIG: ${path("file")} has more than 4 bytes`,
    )
  })
})

describe("a path with a link where there was none", () => {
  const stale = (name: string) => `ESTALE: ${path(name)} was moved, or a part of it replaced by a link`

  it.each<[string, (name: string) => Promise<unknown>]>([
    ["stat", (name) => localFiles.stat(name)],
    ["read", (name) => localFiles.read(name)],
    ["isWritable", (name) => localFiles.isWritable(name)],
    ["replace", (name) => localFiles.replace(name, Buffer.from("new"))],
    ["create", (name) => localFiles.create(`${name}-new`, Buffer.from("new"))],
  ])("is refused in the middle by %s", async (_name, use) => {
    await mkdir(path("real/deep"), { recursive: true })
    await writeFile(path("real/deep/file"), "old")
    await symlink(path("real"), path("link"))
    await expect(use(path("link/deep/file"))).rejects.toMatchObject({ code: "ESTALE" })
    await symlink(path("real/deep"), path("last"))
    await expect(use(path("last/file"))).rejects.toMatchObject({ code: "ESTALE" })
    expect(await readdir(path("real/deep"))).toEqual(["file"])
    expect(await readFile(path("real/deep/file"), "utf8")).toBe("old")
  })

  it("is refused at the end, and said so", async () => {
    await writeFile(path("file"), "old")
    await symlink(path("file"), path("link"))
    await symlink(path(), path("folder"))
    await expect(localFiles.read(path("link"))).rejects.toThrow(stale("link"))
    await expect(localFiles.replace(path("link"), Buffer.from("new"))).rejects.toThrow(stale("link"))
    await expect(localFiles.list(path("folder"))).rejects.toThrow(stale("folder"))
    await expect(localFiles.create(path("link"), Buffer.from("new"))).rejects.toMatchObject({
      code: "EEXIST",
    })
    expect(await readFile(path("file"), "utf8")).toBe("old")
  })
})
