import { mkdir, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { describe, expect, it } from "vitest"
import { astGrepTool, makeAstGrepTool } from "../../src/impls/ast-grep.ts"
import type { ToolResult } from "../../src/index.ts"
import { localFiles } from "../../src/io/files.ts"
import { type GrammarPackages, Grammars } from "../../src/structural/installed-grammars.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { executorOf } from "../support/executor-of.ts"

const path = useTempFolder()

const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(path(name)), { recursive: true })
    await writeFile(path(name), content)
  }
}

const search = (pattern: string, paths: ReadonlyArray<string>, lang?: string): Promise<ToolResult> => {
  const executor = executorOf({ ast_grep: astGrepTool }, { cwd: path() })
  return executor.run({ name: "ast_grep", params: { pattern, paths, ...(lang !== undefined && { lang }) } })
}

describe("ast_grep", () => {
  it("shows the lines of each match, by file, with counts for the host", async () => {
    await write({
      "src/a.ts": "const x = 1\nlog(x); log(x, 1)\n// log(x)\nlog(\n  x,\n  2,\n)\n",
      "src/b.py": "log('a')\n",
      "src/c.md": "log(x)\n",
    })
    const { status, content, output } = await search("log($$$ARGS)", ["src"])
    expect(status).toBe("complete")
    expect(content).toBe(
      [
        "4 matches in 2 files. 2 files searched: 1 typescript, 1 python.",
        "",
        "src/a.ts: 3 matches",
        "   2│log(x); log(x, 1)",
        "   4│log(",
        "   5│  x,",
        "   6│  2,",
        "   7│)",
        "",
        "src/b.py: 1 match",
        "   1│log('a')",
      ].join("\n"),
    )
    expect(output.details).toEqual({
      files: [
        { path: "src/a.ts", matches: 3 },
        { path: "src/b.py", matches: 1 },
      ],
      totalFiles: 2,
      totalMatches: 4,
    })
  })

  it("cuts long matches and long lines, and shows nested matches once", async () => {
    const body = Array.from({ length: 20 }, (_, index) => `  f(${index})`).join("\n")
    await write({ "a.ts": `f(() => {\n${body}\n})\n`, "b.ts": `g("${"x".repeat(400)}")\n` })
    const { content } = await search("f($A)", ["a.ts"])
    expect(content.split("\n").slice(2, 15)).toEqual([
      "a.ts: 21 matches",
      "   1│f(() => {",
      ...Array.from({ length: 9 }, (_, index) => `${String(index + 2).padStart(4)}│  f(${index})`),
      "    │…",
      "  11│  f(9)",
    ])
    expect((await search("g($A)", ["b.ts"])).content.split("\n").at(-1)).toBe(`   1│g("${"x".repeat(297)}…`)
  })

  it("says what it searched where nothing matches", async () => {
    await write({ "a.ts": "f()", "b.css": "a { top: 0 }" })
    const { status, content } = await search("g($A)", ["."])
    expect(status).toBe("complete")
    expect(content).toBe(
      [
        "No matches of g($A). 1 file searched: 1 typescript. The pattern must be one complete piece of code, as it stands in a file; $X stands for one node, $$$X for any number.",
        "Not searched: 1 css file. The pattern g($A) is not valid css. It must be one complete piece of code: close its brackets, or name the language with lang.",
      ].join("\n"),
    )
  })

  it("fails for a pattern that is valid in none of the languages, and for paths without source files", async () => {
    await write({ "a.ts": "f()", "b.md": "" })
    expect(await search("f(", ["."])).toMatchObject({
      status: "error",
      content:
        "The pattern f( is not valid typescript. It must be one complete piece of code: close its brackets, or name the language with lang.",
    })
    expect((await search("f()", ["*.md"])).content).toBe(
      "There are no source files to search in *.md. Check the paths.",
    )
  })

  it("passes over files that are too large, binary or not UTF-8, and names them", async () => {
    await write({ "a.ts": "f()", "big.ts": "f()\n".repeat(600_000), "nul.ts": "f()\0" })
    await writeFile(path("latin.ts"), Buffer.from([0xe9]))
    expect((await search("f()", ["."])).content).toBe(
      [
        "1 match in 1 file. 1 file searched: 1 typescript.",
        "Passed over: big.ts (2400000 bytes, the limit is 2000000), latin.ts (not UTF-8 text), nul.ts (binary).",
        "",
        "a.ts: 1 match",
        "   1│f()",
      ].join("\n"),
    )
  })

  it("reads files as the language that is named", async () => {
    await write({ "page.tmpl": "<p>hi</p>\n" })
    expect((await search("<p>$X</p>", ["*.tmpl"], "html")).content).toContain("page.tmpl: 1 match")
  })

  it("bounds its output and says that it is truncated", async () => {
    const files = Array.from({ length: 60 }, (_, index) => [`f${index}.ts`, "call(1, 2, 3)\n".repeat(100)])
    await write(Object.fromEntries(files))
    const { content, output } = await search("call($$$A)", ["."])
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(50_000)
    expect(content).toMatch(/\[truncated: \d+ of 60 files are shown, and a part of the next one\]$/)
    expect(output.details).toMatchObject({ totalFiles: 60, totalMatches: 6000 })
  })

  it("stays inside the workspace", async () => {
    await write({ "in/a.ts": "f()", "out/b.ts": "f()" })
    const executor = executorOf({ ast_grep: astGrepTool }, { cwd: path("in"), workspace: path("in") })
    for (const outside of ["../out", "../out/b.ts", "../out/*.ts", path("out")]) {
      const params = { pattern: "f()", paths: [outside] }
      const { status, content } = await executor.run({ name: "ast_grep", params })
      expect(status).toBe("error")
      expect(content).toContain("is outside the workspace")
    }
  })

  it("streams its progress, and ends when it is cancelled", async () => {
    const files = Array.from({ length: 300 }, (_, index) => [`f${index}.ts`, `f(${index})\n`])
    await write(Object.fromEntries(files))
    const executor = executorOf({ ast_grep: astGrepTool }, { cwd: path() })
    const deltas: Array<string> = []
    const call = { name: "ast_grep", params: { pattern: "f($A)", paths: ["."] } }
    await executor.run(call, (event) => event._tag === "Delta" && deltas.push(event.content))
    expect(deltas).toEqual([
      "Searched 104 of 300 files, 104 matches\n",
      "Searched 208 of 300 files, 208 matches\n",
    ])
    const cancelled = await executor.run({ ...call, callId: "b" }, (event) => {
      if (event._tag === "Delta") executor.cancelCall("b")
    })
    expect(cancelled.status).toBe("cancelled")
  })

  it("says what to install where a package is missing, and searches what it can", async () => {
    await write({ "a.ts": "f()", "b.py": "f()" })
    const missing = (name: string) => async (): Promise<never> => {
      throw Object.assign(new Error(`Cannot find package '${name}'`), { code: "ERR_MODULE_NOT_FOUND" })
    }
    const packages: GrammarPackages = {
      "@ast-grep/napi": () => import("@ast-grep/napi"),
      "@ast-grep/lang-python": missing("@ast-grep/lang-python"),
      "@ast-grep/lang-rust": missing("@ast-grep/lang-rust"),
      "@ast-grep/lang-go": missing("@ast-grep/lang-go"),
    }
    const searchWith = (grammars: Grammars) => {
      const tool = makeAstGrepTool({ files: localFiles }, grammars)
      const executor = executorOf({ ast_grep: tool }, { cwd: path() })
      return executor.run({ name: "ast_grep", params: { pattern: "f()", paths: ["."] } })
    }
    expect((await searchWith(new Grammars(packages))).content).toContain(
      "1 match in 1 file. 1 file searched: 1 typescript.\nNot searched: 1 python file. The package @ast-grep/lang-python is not installed. Install it: npm install @ast-grep/lang-python@0.0.6\n",
    )
    const none = new Grammars({ ...packages, "@ast-grep/napi": missing("@ast-grep/napi") })
    expect(await searchWith(none)).toMatchObject({
      status: "error",
      content: "The package @ast-grep/napi is not installed. Install it: npm install @ast-grep/napi@0.51",
    })
  })
})
