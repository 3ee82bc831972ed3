/** Files of a system that does not tell where an open file is. */
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises"
import { expect, it, onTestFinished, vi } from "vitest"
import type { Files } from "../../src/io/files.ts"
import { useTempFolder } from "./temp-folder.ts"

const path = useTempFolder()
const bytes = (text: string) => Buffer.from(text)

const filesElsewhere = async (): Promise<Files> => {
  const here = Object.getOwnPropertyDescriptor(process, "platform")!
  Object.defineProperty(process, "platform", { ...here, value: "freebsd" })
  vi.resetModules()
  onTestFinished(() => {
    Object.defineProperty(process, "platform", here)
    vi.resetModules()
  })
  return (await import("../../src/io/files.ts")).localFiles
}

it("reads, lists, makes and replaces", async () => {
  const files = await filesElsewhere()
  await files.create(path("a/b/file"), bytes("old"))
  await files.exclusively?.(path("a/b/file"), () => files.replace(path("a/b/file"), bytes("new")))
  expect(Buffer.from(await files.read(path("a/b/file"))).toString()).toBe("new")
  expect(await files.list(path("a/b"))).toEqual([{ name: "file", kind: "file" }])
  expect(await files.stat(path("a/b/file"))).toEqual({ kind: "file", size: 3 })
  expect(await files.stat(path("a/c"))).toBeUndefined()
  expect(await files.isWritable(path("a/b/file"))).toBe(true)
})

it("refuses links on the way", async () => {
  const files = await filesElsewhere()
  await mkdir(path("real"))
  await writeFile(path("real/file"), "old")
  await symlink(path("real"), path("link"))
  await symlink(path("real/file"), path("last"))
  const stale = { code: "ESTALE" }
  await expect(files.read(path("link/file"))).rejects.toMatchObject(stale)
  await expect(files.read(path("last"))).rejects.toMatchObject(stale)
  await expect(files.stat(path("link/file"))).rejects.toMatchObject(stale)
  await expect(files.list(path("link"))).rejects.toMatchObject(stale)
  await expect(files.replace(path("link/file"), bytes("new"))).rejects.toMatchObject(stale)
  await expect(files.create(path("link/new"), bytes("new"))).rejects.toMatchObject(stale)
  expect(await readdir(path("real"))).toEqual(["file"])
  expect(await readFile(path("real/file"), "utf8")).toBe("old")
})

it("says that a folder was swapped while work went on in it", async () => {
  const files = await filesElsewhere()
  await mkdir(path("folder"))
  await mkdir(path("outside"))
  await writeFile(path("folder/file"), "old")
  const swapped = files.exclusively?.(path("folder/file"), async () => {
    await rename(path("folder"), path("kept"))
    await symlink(path("outside"), path("folder"))
    await expect(files.replace(path("folder/file"), bytes("new"))).rejects.toMatchObject({ code: "ESTALE" })
    await rm(path("folder"))
    await mkdir(path("folder"))
  })
  await expect(swapped).rejects.toThrow(
    `ESTALE: ${path("folder")} was moved, or a part of it replaced by a link`,
  )
  expect(await readdir(path("outside"))).toEqual([])
})
