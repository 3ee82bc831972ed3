// @module-tag waits
import { readFile, writeFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { diffOf, renderDiff } from "../../../src/hosts/terminal/render-diff.ts"
import { styleOf } from "../../../src/hosts/terminal/style.ts"
import { editFileTool } from "../../../src/impls/edit-file.ts"
import { noIde } from "../../../src/index.ts"
import { executorIn } from "../../impls/executor-in.ts"
import { useTempFolder } from "../../io/temp-folder.ts"

const path = useTempFolder()
const style = styleOf(false)

it("an edit of line endings alone is told in a sentence, instead of a diff without lines", async () => {
  const file = path("a.txt")
  await writeFile(file, "one\ntwo\n")
  const result = await executorIn(path(), [editFileTool], { delegates: noIde }).run({
    name: "edit_file",
    params: { path: "a.txt", edits: [{ old_string: "one\ntwo\n", new_string: "one\r\ntwo\r\n" }] },
    decision: "approve",
  })
  expect(await readFile(file, "utf8")).toBe("one\r\ntwo\r\n")
  const diff = diffOf(result.output.details)!
  expect(renderDiff(diff, 80, style)).toEqual(["The text stays the same; at most its line endings change."])
  expect(renderDiff(diff, 40, style)).toEqual([
    "The text stays the same; at most its",
    "line endings change.",
  ])
})

it("a diff of one file is shown without the lines that name it, one of several with them", () => {
  const hunk = "@@ -1 +1 @@\n-one\n+two\n"
  expect(renderDiff(`--- a\n+++ a\n${hunk}`, 80, style)).toEqual(["@@ -1 +1 @@", "-one", "+two"])
  const both = `--- a\n+++ a\n${hunk}--- b\n+++ b\n${hunk}`
  expect(renderDiff(both, 80, style)).toEqual(both.trimEnd().split("\n"))
})
