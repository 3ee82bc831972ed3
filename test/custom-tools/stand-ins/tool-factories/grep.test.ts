import { mkdir, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { describe, expect, it } from "vitest"
import { createGrepTool } from "../../../../src/custom-tools/index.ts"
import { useTempFolder } from "../../../io/temp-folder.ts"
import { failureOf, run, textFrom } from "./run-tool.ts"

const path = useTempFolder()

const make = async (files: Readonly<Record<string, string | Buffer>>) => {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(path(name)), { recursive: true })
    await writeFile(path(name), content)
  }
  return createGrepTool(path())
}

describe("matches", () => {
  it("come with path and line number, in the order of names", async () => {
    const tool = await make({ "b.txt": "x\nneedle 1\n", "a/c.txt": "needle 2", ".dot": "needle 3\r\nno" })
    expect(await textFrom(tool, { pattern: "needle \\d" })).toBe(
      ".dot:1: needle 3\nb.txt:2: needle 1\na/c.txt:1: needle 2",
    )
    expect(await textFrom(tool, { pattern: "needle", path: "a/c.txt" })).toBe("c.txt:1: needle 2")
    expect(await textFrom(tool, { pattern: "nothing" })).toBe("No matches found")
  })

  it("come with the lines around them", async () => {
    const tool = await make({ f: "1\n2\nhit\n4\n5\n" })
    expect(await textFrom(tool, { pattern: "hit", context: 1 })).toBe("f-2- 2\nf:3: hit\nf-4- 4")
    expect(await textFrom(tool, { pattern: "5", context: 9 })).toBe(
      "f-1- 1\nf-2- 2\nf-3- hit\nf-4- 4\nf:5: 5",
    )
    expect(await textFrom(tool, { pattern: "2|4", context: 1 })).toBe(
      "f-1- 1\nf:2: 2\nf-3- hit\nf:4: 4\nf-5- 5",
    )
  })

  it("may ignore case, be literal, or say so in the pattern", async () => {
    const tool = await make({ f: "A.B\naxb\n" })
    expect(await textFrom(tool, { pattern: "a.b" })).toBe("f:2: axb")
    expect(await textFrom(tool, { pattern: "a.b", ignoreCase: true })).toBe("f:1: A.B\nf:2: axb")
    expect(await textFrom(tool, { pattern: "(?i)a.b" })).toBe("f:1: A.B\nf:2: axb")
    expect(await textFrom(tool, { pattern: "a.b", literal: true, ignoreCase: true })).toBe("f:1: A.B")
    expect(await textFrom(tool, { pattern: "A.B", literal: true })).toBe("f:1: A.B")
  })

  it("are looked for in files that a glob takes", async () => {
    const tool = await make({ "a.ts": "x", "src/b.ts": "x", "src/c.js": "x" })
    expect(await textFrom(tool, { pattern: "x", glob: "*.ts" })).toBe("a.ts:1: x\nsrc/b.ts:1: x")
    expect(await textFrom(tool, { pattern: "x", glob: "src/**" })).toBe("src/b.ts:1: x\nsrc/c.js:1: x")
    expect(await textFrom(tool, { pattern: "x", glob: "!*.ts" })).toBe("src/c.js:1: x")
    expect(await textFrom(tool, { pattern: "x", glob: "./src/*.ts" })).toBe("src/b.ts:1: x")
    expect(await textFrom(tool, { pattern: "x", glob: "!./src/**" })).toBe("a.ts:1: x")
  })
})

it("leaves out what .gitignore files ignore, and binary files", async () => {
  const tool = await make({
    ".gitignore": "out\n",
    "out/a": "needle",
    ".git/b": "needle",
    binary: Buffer.from("needle\0"),
    c: "needle",
  })
  expect(await textFrom(tool, { pattern: "needle" })).toBe("c:1: needle")
})

describe("limits", () => {
  it("of matches are told", async () => {
    const tool = await make({ f: "x\n".repeat(5), g: "x" })
    const { content, details } = await run(tool, { pattern: "x", limit: 3 })
    expect(content).toEqual([
      {
        type: "text",
        text: "f:1: x\nf:2: x\nf:3: x\n\n[3 matches limit reached. Use limit=6 for more, or refine pattern]",
      },
    ])
    expect(details).toEqual({ matchLimitReached: 3 })
    expect(await textFrom(tool, { pattern: "x", path: "f", limit: 5 })).not.toContain("limit")
    expect(await textFrom(tool, { pattern: "x", limit: 5 })).toContain("[5 matches limit reached")
    expect(await textFrom(tool, { pattern: "x", limit: 1, context: 1 })).toMatch(/^f:1: x\nf-2- x\n\n\[1 /)
  })

  it("of line lengths are told", async () => {
    const tool = await make({ f: "y".repeat(600) })
    const { content, details } = await run(tool, { pattern: "y" })
    expect(content).toEqual([
      {
        type: "text",
        text: `f:1: ${"y".repeat(500)}... [truncated]\n\n[Some lines truncated to 500 chars. Use read tool to see full lines]`,
      },
    ])
    expect(details).toEqual({ linesTruncated: true })
  })

  it("of the answer are told", async () => {
    const tool = await make({ f: `${"z".repeat(400)}\n`.repeat(300) })
    const { content, details } = await run(tool, { pattern: "z", limit: 1000 })
    const [block] = content as unknown as [{ text: string }]
    expect(block.text).toMatch(/\n\n\[50\.0KB limit reached\]$/)
    expect(Buffer.byteLength(block.text)).toBeLessThanOrEqual(51_200 + 30)
    expect(details).toMatchObject({ truncation: { totalLines: 300, truncatedBy: "bytes" } })
  })
})

describe("failures", () => {
  it("tell what is wrong with the pattern or the path", async () => {
    const tool = await make({ f: "x" })
    expect(await failureOf(tool, { pattern: "(" })).toMatch(/^Invalid pattern: .*Use literal=true/)
    expect(await failureOf(tool, { pattern: "x", path: "none" })).toBe(`Path not found: ${path("none")}`)
    expect(await failureOf(tool, { pattern: "x" }, AbortSignal.abort())).toBe("Operation aborted")
  })

  it("end a pattern that would match for years", async () => {
    const tool = await make({ f: `${"a".repeat(60)}b` })
    expect(await failureOf(tool, { pattern: "^(a+)+$" })).toBe(
      "The pattern takes too long to match. Make it simpler, or use literal=true.",
    )
  })
})

it("reads through the operations that it is given", async () => {
  const tool = createGrepTool("/far", {
    operations: { isDirectory: () => false, readFile: (file) => `one\n${file}\n` },
  })
  expect(await textFrom(tool, { pattern: "far", path: "x" })).toBe("x:2: /far/x")
})
