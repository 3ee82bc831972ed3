import { readFile, writeFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { fileHistory } from "../../src/cli/history-file.ts"
import { useTempFolder } from "../io/temp-folder.ts"

const path = useTempFolder()

it("a history of many long lines is cut to its last ones", async () => {
  const lines = Array.from({ length: 3100 }, (_, at) => `${JSON.stringify(`${at} ${"x".repeat(4000)}`)}\n`)
  await writeFile(path("history"), lines.join(""))
  fileHistory(path("history"))
  expect(await readFile(path("history"), "utf8")).toBe(lines.slice(-1000).join(""))
})
