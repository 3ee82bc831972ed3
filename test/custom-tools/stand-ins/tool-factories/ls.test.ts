import { mkdir, symlink, writeFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { createLsTool } from "../../../../src/custom-tools/index.ts"
import { useTempFolder } from "../../../io/temp-folder.ts"
import { failureOf, run, textFrom } from "./run-tool.ts"

const path = useTempFolder()
const make = () => createLsTool(path())

it("lists names in order whatever their case, folders with a slash", async () => {
  for (const name of ["b", "A", ".dot"]) await writeFile(path(name), "")
  await mkdir(path("Folder"))
  await symlink("Folder", path("link"))
  await symlink("none", path("broken"))
  expect(await textFrom(make(), {})).toBe(".dot\nA\nb\nFolder/\nlink/")
  expect(await textFrom(make(), { path: "Folder" })).toBe("(empty directory)")
})

it("stops at the limit and says so", async () => {
  for (const name of ["a", "b", "c"]) await writeFile(path(name), "")
  const { content, details } = await run(make(), { limit: 2 })
  expect(content).toEqual([{ type: "text", text: "a\nb\n\n[2 entries limit reached. Use limit=4 for more]" }])
  expect(details).toEqual({ entryLimitReached: 2 })
})

it("says what is wrong with the path, and stops when aborted", async () => {
  await writeFile(path("file"), "")
  expect(await failureOf(make(), { path: "none" })).toBe(`Path not found: ${path("none")}`)
  expect(await failureOf(make(), { path: "file" })).toBe(`Not a directory: ${path("file")}`)
  expect(await failureOf(make(), {}, AbortSignal.abort())).toBe("Operation aborted")
})

it("lists through the operations that it is given", async () => {
  const tool = createLsTool("/far", {
    operations: {
      exists: () => true,
      stat: (file) => ({ isDirectory: () => !file.endsWith(".txt") }),
      readdir: () => ["b.txt", "a"],
    },
  })
  expect(await textFrom(tool, { path: "x" })).toBe("a/\nb.txt")
})
