import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { root, runScript } from "./support/run-script.ts"

// Inside the package, so that it can import itself by name.
const folder = join(root, ".readme")

const snippets = [...readFileSync(join(root, "README.md"), "utf8").matchAll(/```ts\n(.*?)```/gs)].map(
  ([, code]) => code!,
)

/** What each snippet prints, in order. */
const prints = [
  [/^Created .*note-\d+\.txt/],
  [/^\/etc\/hosts is outside the workspace/m],
  [/^published 1\.0\.0$/m],
  [/^approve$/m, /^deny$/m, /^undefined$/m, /^deny$/m],
  [/status: 'denied'/, /decidedBy: \{ kind: 'reviewer', reason: 'Only dry runs.' \}/],
  [/^3 files would change$/m, /label: 'Rename in 3 files'/, /^3 files changed$/m],
  [/Read-only file system$/m, /^\[sandbox\] Blocked: openat \/etc\/x/m],
  [
    /^repo_stats from .*repo-stats\.ts$/m,
    /^take_note from .*careful-notes\.ts$/m,
    /^Files that match \*\.md: \d+$/m,
  ],
  [/^two$/m, /^<notification source="task .+">shell has ended \[Complete\]\./m],
]

describe("README", () => {
  beforeAll(() => mkdirSync(folder, { recursive: true }))
  afterAll(() => rmSync(folder, { recursive: true }))

  it("has an expectation for every snippet", () => {
    expect(snippets).toHaveLength(prints.length)
  })

  prints.forEach((expected, index) => {
    it(`snippet ${index + 1} runs as it stands`, async () => {
      const path = join(folder, `snippet-${index + 1}.ts`)
      writeFileSync(path, snippets[index]!)
      const { stdout } = await runScript(path)
      let rest = stdout
      for (const pattern of expected) {
        expect(rest).toMatch(pattern)
        rest = rest.slice(rest.search(pattern) + rest.match(pattern)![0].length)
      }
    })
  })
})
