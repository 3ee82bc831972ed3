// @module-tag waits
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { createWriteTool } from "../../../../src/custom-tools/index.ts"
import { useTempFolder } from "../../../io/temp-folder.ts"
import { failureOf, textFrom } from "./run-tool.ts"

const path = useTempFolder()
const make = () => createWriteTool(path())

it("makes a file with its folders, and replaces one that is there", async () => {
  expect(await textFrom(make(), { path: "a/b/file", content: "é\n" })).toBe("Successfully wrote to a/b/file")
  expect(await readFile(path("a/b/file"), "utf8")).toBe("é\n")
  await textFrom(make(), { path: "a/b/file", content: "" })
  expect(await readFile(path("a/b/file"), "utf8")).toBe("")
})

it("writes what a link leads to", async () => {
  await writeFile(path("real"), "old")
  await symlink("real", path("link"))
  await textFrom(make(), { path: "link", content: "new" })
  expect(await readFile(path("real"), "utf8")).toBe("new")
})

it("refuses what is no file", async () => {
  await mkdir(path("folder"))
  await writeFile(path("file"), "")
  expect(await failureOf(make(), { path: "file/below", content: "" })).toBe(
    "Could not write file: file/below. Error code: ENOTDIR.",
  )
  expect(await failureOf(make(), { path: "folder", content: "" })).toBe(
    "Could not write file: folder. It is not a regular file.",
  )
})

it("writes nothing when the call was aborted", async () => {
  expect(await failureOf(make(), { path: "file", content: "x" }, AbortSignal.abort())).toBe(
    "Operation aborted",
  )
  await expect(readFile(path("file"))).rejects.toThrow("ENOENT")
})

it("writes through the operations that it is given", async () => {
  const done: Array<string> = []
  const tool = createWriteTool("/far", {
    operations: {
      mkdir: async (folder) => void done.push(`mkdir ${folder}`),
      writeFile: async (file, content) => void done.push(`write ${file} ${content}`),
    },
  })
  await textFrom(tool, { path: "a/b", content: "c" })
  expect(done).toEqual(["mkdir /far/a", "write /far/a/b c"])
})
