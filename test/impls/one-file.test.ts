// @module-tag waits
import { readFileSync, writeFileSync } from "node:fs"
import { expect, it } from "vitest"
import { allTools } from "../../src/impls/index.ts"
import { noIde } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { executorIn } from "./executor-in.ts"

const path = useTempFolder()

it("calls of many agents that edit one file at a time lose nothing", async () => {
  const cwd = path()
  const words = Array.from({ length: 12 }, (_, index) => `word${index}`)
  writeFileSync(path("f"), words.join("\n"))
  const executor = executorIn(cwd, allTools(), { delegates: noIde })
  const results = await Promise.all(
    words.map((word) =>
      executor.run({
        agentId: word,
        name: "edit_file",
        params: { path: "f", edits: [{ old_string: `${word}\n`, new_string: `${word.toUpperCase()}\n` }] },
        decision: "approve",
      }),
    ),
  )
  const text = readFileSync(path("f"), "utf8")
  // Each edit is in the file, or its call says that the file has changed since the preview.
  results.forEach(({ status, content }, index) => {
    if (status === "complete") expect(text).toContain(`${words[index]!.toUpperCase()}\n`)
    else expect(content).toMatch(/has changed since|not found/)
  })
  expect(results.some(({ status }) => status === "complete")).toBe(true)
})
