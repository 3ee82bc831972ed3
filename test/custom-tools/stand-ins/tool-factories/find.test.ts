import { mkdir, symlink, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { describe, expect, it } from "vitest"
import { createFindTool } from "../../../../src/custom-tools/index.ts"
import { useTempFolder } from "../../../io/temp-folder.ts"
import { failureOf, run, textFrom } from "./run-tool.ts"

const path = useTempFolder()

const make = async (...names: Array<string>) => {
  for (const name of names) {
    await mkdir(dirname(path(name)), { recursive: true })
    await writeFile(path(name), "")
  }
  return createFindTool(path())
}

describe("a pattern", () => {
  it("without a slash means names wherever they are", async () => {
    const tool = await make("a.ts", "src/b.ts", "src/.hidden/c.ts", "src/d.js")
    expect(await textFrom(tool, { pattern: "*.ts" })).toBe("a.ts\nsrc/b.ts\nsrc/.hidden/c.ts")
    expect(await textFrom(tool, { pattern: "*.ts", path: "src" })).toBe("b.ts\n.hidden/c.ts")
  })

  it("with a slash means the ends of paths", async () => {
    const tool = await make("src/a.ts", "src/deep/b.spec.ts", "packages/x/src/c.spec.ts", "d.spec.ts")
    expect(await textFrom(tool, { pattern: "src/**/*.spec.ts" })).toBe(
      "packages/x/src/c.spec.ts\nsrc/deep/b.spec.ts",
    )
    expect(await textFrom(tool, { pattern: "./src/*.ts" })).toBe("src/a.ts")
  })

  it("without capitals matches both cases", async () => {
    const tool = await make("README.md", "Notes.txt")
    expect(await textFrom(tool, { pattern: "readme*" })).toBe("README.md")
    expect(await textFrom(tool, { pattern: "NOTES*" })).toBe("No files found matching pattern")
  })

  it("finds folders and links too", async () => {
    const tool = await make("lib/x")
    await symlink("lib", path("lib-link"))
    expect(await textFrom(tool, { pattern: "lib*" })).toBe("lib/\nlib-link")
  })
})

it("leaves out what .gitignore files ignore, and the repository itself", async () => {
  const tool = await make(
    "keep.log",
    "out/x.log",
    "deep/y.log",
    "deep/z.log",
    ".git/w.log",
    "node_modules/v.log",
  )
  await writeFile(path(".gitignore"), "out/\nnode_modules\n")
  await writeFile(path("deep/.gitignore"), "y.log\n")
  expect(await textFrom(tool, { pattern: "*.log" })).toBe("keep.log\ndeep/z.log")
  expect(await textFrom(tool, { pattern: "*.log", path: "node_modules" })).toBe("v.log")
})

it("stops at the limit and says so", async () => {
  const tool = await make("a", "b", "c")
  const { content, details } = await run(tool, { pattern: "*", limit: 2 })
  expect(content).toEqual([
    { type: "text", text: "a\nb\n\n[2 results limit reached. Use limit=4 for more, or refine pattern]" },
  ])
  expect(details).toEqual({ resultLimitReached: 2 })
})

it("says what is wrong with the folder, and stops when aborted", async () => {
  const tool = await make("file")
  expect(await failureOf(tool, { pattern: "*", path: "none" })).toBe(`Path not found: ${path("none")}`)
  expect(await failureOf(tool, { pattern: "*", path: "file" })).toBe(`Not a directory: ${path("file")}`)
  expect(await failureOf(tool, { pattern: "*" }, AbortSignal.abort())).toBe("Operation aborted")
})

it("finds through the operations that it is given", async () => {
  const tool = createFindTool("/far", {
    operations: {
      exists: (folder) => folder === "/far/src",
      glob: (pattern, folder) => [`${folder}/a/${pattern}`, "b", `${folder}/c/`, `${folder}-old/d`],
    },
  })
  expect(await textFrom(tool, { pattern: "x", path: "src" })).toBe("a/x\nb\nc/\n/far/src-old/d")
  expect(await failureOf(tool, { pattern: "x" })).toBe("Path not found: /far")
})
