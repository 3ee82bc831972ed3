// @module-tag waits
/** What path rules keep structural tools from reading. */
import { mkdir, readFile, symlink, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { describe, expect, it } from "vitest"
import { makeAstEditTool } from "../../src/impls/ast-edit.ts"
import { makeAstGrepTool } from "../../src/impls/ast-grep.ts"
import { ToolFilters, type ToolResult } from "../../src/index.ts"
import { localFiles } from "../../src/io/files.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { executorOf } from "../support/executor-of.ts"

const path = useTempFolder()

const write = async (...names: ReadonlyArray<string>): Promise<void> => {
  for (const name of names) {
    await mkdir(dirname(path(name)), { recursive: true })
    await writeFile(path(name), "foo(1)\n")
  }
}

/** An executor of both tools, and the names of the files that they read. */
const denying = (...deny: ReadonlyArray<string>) => {
  const opened: Array<string> = []
  const files: typeof localFiles = {
    ...localFiles,
    chunks: (name) => {
      opened.push(name)
      return localFiles.chunks(name)
    },
    read: (name) => {
      opened.push(name)
      return localFiles.read(name)
    },
  }
  const executor = executorOf(
    { ast_grep: makeAstGrepTool({ files }), ast_edit: makeAstEditTool({ files }) },
    { cwd: path(), filters: ToolFilters.compile({ ast_grep: { deny }, ast_edit: { deny } }) },
  )
  const grep = (...paths: ReadonlyArray<string>): Promise<ToolResult> =>
    executor.run({ name: "ast_grep", params: { pattern: "foo($A)", paths } })
  const edit = (...paths: ReadonlyArray<string>): Promise<ToolResult> =>
    executor.run({
      name: "ast_edit",
      params: { ops: [{ pattern: "foo($A)", replacement: "bar($A)" }], paths },
    })
  return { executor, opened, grep, edit }
}

describe("a call that names a denied path is denied", () => {
  it.each([["secret/k.ts"], ["secret"], ["a.ts", "secret/k.ts"], ["./x/../secret/*.ts"], ["link.ts"]])(
    "%s %s",
    async (...paths) => {
      await write("secret/k.ts", "a.ts")
      await symlink(path("secret/k.ts"), path("link.ts"))
      const { grep, edit, opened } = denying("secret")
      for (const { status, content } of [await grep(...paths), await edit(...paths)]) {
        expect([status, content]).toEqual(["denied", expect.stringContaining("Denied by policy")])
      }
      expect(opened).toEqual([])
    },
  )

  it("but not one that takes it out", async () => {
    await write("secret/k.ts", "a.ts")
    expect((await denying("secret").grep(".", "!secret")).content).toContain("1 match in 1 file.")
  })
})

describe("a denied file that is found", () => {
  it.each([["."], ["**/*.ts"], ["s*/*.ts", "a.ts"]])(
    "is not read by ast_grep, nor named: %s",
    async (...paths) => {
      await write("secret/k.ts", "secret/l.ts", "a.ts")
      const { grep, opened } = denying("^secret/")
      const { content } = await grep(...paths)
      expect(content).toBe(
        [
          "1 match in 1 file. 1 file searched: 1 typescript.",
          "Left out by a rule, unread: 2 files.",
          "",
          "a.ts: 1 match",
          "   1│foo(1)",
        ].join("\n"),
      )
      expect(opened.filter((name) => name.includes("secret") && name.endsWith(".ts"))).toEqual([])
    },
  )

  it("is neither previewed nor changed by ast_edit", async () => {
    await write("secret/k.ts", "a.ts")
    const { edit, executor } = denying("^secret/")
    const { content } = await edit(".")
    expect(content).toContain("Would replace 1 match in 1 file. 1 file searched: 1 typescript.")
    expect(content).toContain("Left out by a rule, unread: 1 file.")
    expect(content).not.toContain("secret")
    const call = { name: "resolve", params: { action: "apply", reason: "so" }, decision: "approve" } as const
    expect((await executor.run(call)).content).toBe("Replaced 1 match in 1 file.\na.ts: 1 match.")
    expect(await readFile(path("secret/k.ts"), "utf8")).toBe("foo(1)\n")
    expect(await readFile(path("a.ts"), "utf8")).toBe("bar(1)\n")
  })

  it("is told where nothing else is there", async () => {
    await write("secret/k.ts")
    expect((await denying("^secret/").grep(".")).content).toBe(
      "There are no source files to search in .. Left out by a rule, unread: 1 file.",
    )
  })
})
