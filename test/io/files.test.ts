import { mkdir, symlink, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { localFiles } from "../../src/io/index.ts"
import { makeFifo } from "./fifo.ts"
import { useTempFolder } from "./temp-folder.ts"

const path = useTempFolder()

describe("stat", () => {
  it("tells files, folders, others and nothing apart, through links", async () => {
    await writeFile(path("file"), "12345")
    await symlink(path("file"), path("link"))
    await symlink(path("missing"), path("dangling"))
    expect(await localFiles.stat(path("link"))).toEqual({ kind: "file", size: 5 })
    expect(await localFiles.stat(path())).toMatchObject({ kind: "directory" })
    expect(await localFiles.stat("/dev/null")).toMatchObject({ kind: "other" })
    expect(await localFiles.stat(path("dangling"))).toBeUndefined()
    expect(await localFiles.stat(path("file/below"))).toBeUndefined()
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
    for await (const _ of localFiles.chunks(path("fifo"))) expect.unreachable()
  })
})
