import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { root, runScript } from "../support/run-script.ts"

// Inside the package, so that it can import itself by name.
const folder = join(root, ".mcp-page")

const [, section = ""] = readFileSync(join(root, "docs/hosts.md"), "utf8").split(
  "\n## Model Context Protocol\n",
)
const [own = ""] = section.split(/\n(?=## )/)
const snippets = [...own.matchAll(/```ts\n(.*?)```/gs)].map(([, code]) => code!)

/** What each snippet prints, in order. */
const prints = [
  'May the tool Shell (shell) run?\nThe user edited the parameters before this ran: {"command":"echo hello"}\nhello\n',
  "Echo: hello\ndenied\n",
]

describe("docs/hosts.md, of MCP", () => {
  beforeAll(() => mkdirSync(folder, { recursive: true }))
  afterAll(() => rmSync(folder, { recursive: true }))

  it("has an expectation for every snippet", () => {
    expect(snippets).toHaveLength(prints.length)
  })

  prints.forEach((expected, index) => {
    it(`runs snippet ${index + 1} as it stands`, async () => {
      const path = join(folder, `snippet-${index + 1}.ts`)
      writeFileSync(path, snippets[index]!)
      expect(await runScript(path)).toEqual({ stdout: expected, stderr: "" })
    })
  })
})
