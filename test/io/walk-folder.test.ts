import { mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { expect, it } from "vitest"
import { localFiles } from "../../src/io/files.ts"
import { type FolderWalk, walkFolder } from "../../src/io/walk-folder.ts"
import { useTempFolder } from "./temp-folder.ts"

const path = useTempFolder()

const make = async (...names: Array<string>): Promise<void> => {
  for (const name of names) {
    await mkdir(dirname(path(name)), { recursive: true })
    await writeFile(path(name), "")
  }
}

const walked = async (walk: Partial<FolderWalk> = {}, files = localFiles): Promise<Array<string>> => {
  const found: Array<string> = []
  const folder = path("").replace(/\/$/, "")
  for await (const { path: name, kind } of walkFolder(files, {
    folder,
    top: folder,
    unwalked: new Set(),
    ...walk,
  })) {
    found.push(`${kind} ${name}`)
  }
  return found
}

it("gives what a folder holds, then what its folders hold, in the order of names", async () => {
  await make("b", "a/x", "a/deep/y", "c/z")
  await symlink("b", path("link"))
  expect(await walked()).toEqual([
    "directory a",
    "file b",
    "directory c",
    "other link",
    "directory a/deep",
    "file a/x",
    "file a/deep/y",
    "file c/z",
  ])
  expect(await walked({ maxDepth: 2, unwalked: new Set(["c"]) })).toEqual([
    "directory a",
    "file b",
    "other link",
    "directory a/deep",
    "file a/x",
  ])
})

it("passes over folders that cannot be read", async () => {
  await make("a/x", "b/y")
  const files = {
    ...localFiles,
    list: async (folder: string) => {
      if (folder === path("a")) throw new Error("no permission")
      return localFiles.list(folder)
    },
  }
  const told: Array<string> = []
  const passOver = (folder: string, reason: string) => told.push(`${folder} ${reason}`)
  expect(await walked({ passOver }, files)).toEqual(["directory a", "directory b", "file b/y"])
  expect(told).toEqual([`${path("a")} cannot be read: no permission`])
})

it("stops with the signal's reason", async () => {
  await expect(walked({ signal: AbortSignal.abort(new Error("enough")) })).rejects.toThrow("enough")
})

it("knows the rules of a repository that is a link, and reads none through a linked file", async () => {
  await make("repository/info/x", "work/a", "work/b", "work/c")
  await writeFile(path("repository/info/exclude"), "a\n")
  await writeFile(path("rules"), "b\n")
  await symlink(path("repository"), path("work/.git"))
  await symlink(path("rules"), path("work/.gitignore"))
  expect(await walked({ folder: path("work"), top: path("work") })).toEqual([
    "other .git",
    "other .gitignore",
    "file b",
    "file c",
  ])
})
