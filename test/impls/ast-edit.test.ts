// @module-tag waits
import { chmod, link, mkdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises"
import { dirname } from "node:path"
import { describe, expect, it } from "vitest"
import { astEditTool, makeAstEditTool } from "../../src/impls/ast-edit.ts"
import {
  type AwaitingApprovalEvent,
  type Tool,
  type ToolEvent,
  type ToolExecutor,
  type ToolExecutorOptions,
  ToolFilters,
  type ToolResult,
} from "../../src/index.ts"
import { localFiles } from "../../src/io/files.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { executorOf } from "../support/executor-of.ts"

const path = useTempFolder()

const write = async (files: Readonly<Record<string, string>>): Promise<void> => {
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(path(name)), { recursive: true })
    await writeFile(path(name), content)
  }
}
const read = (name: string): Promise<string> => readFile(path(name), "utf8")

const executor = (tool: Tool = astEditTool, options: ToolExecutorOptions = {}): ToolExecutor =>
  executorOf({ ast_edit: tool }, { cwd: path(), ...options })

const edit = (on: ToolExecutor, params: Readonly<Record<string, unknown>>): Promise<ToolResult> =>
  on.run({ name: "ast_edit", params })

const rename = { ops: [{ pattern: "foo($$$A)", replacement: "bar($$$A)" }], paths: ["."] }
const apply = { action: "apply", reason: "as asked" } as const
/** The host's answer, where it is asked. */
const yes = { onEvent: (event: ToolEvent) => event._tag === "AwaitingApproval" && event.approve() }
const discard = { action: "discard", reason: "not now" } as const

const nothingPends = (on: ToolExecutor) => expect(on.agent("main").pendingActions.list()).toEqual([])

describe("the preview", () => {
  it("shows a diff and counts, changes nothing, and waits", async () => {
    await write({ "src/a.ts": "foo(1)\nfoo(foo(2))\n", "src/b.ts": "x(foo())\n", "src/c.ts": "x()\n" })
    const on = executor()
    const { status, content, output } = await edit(on, { ...rename, paths: ["src"] })
    const diff = [
      "--- src/a.ts",
      "+++ src/a.ts",
      "@@ -1,2 +1,2 @@",
      "-foo(1)",
      "-foo(foo(2))",
      "+bar(1)",
      "+bar(bar(2))",
      "--- src/b.ts",
      "+++ src/b.ts",
      "@@ -1,1 +1,1 @@",
      "-x(foo())",
      "+x(bar())",
      "",
    ].join("\n")
    expect(status).toBe("complete")
    expect(content).toContain(
      `Would replace 4 matches in 2 files. 3 files searched: 3 typescript.\nsrc/a.ts: 3 matches, src/b.ts: 1 match.\n\n${diff}`,
    )
    expect(content).toContain("Nothing is changed yet.")
    expect(output.details).toEqual({
      files: [
        { path: "src/a.ts", matches: 3 },
        { path: "src/b.ts", matches: 1 },
      ],
      totalFiles: 2,
      totalMatches: 4,
      diff,
    })
    expect(await read("src/a.ts")).toBe("foo(1)\nfoo(foo(2))\n")
    expect(on.agent("main").pendingActions.list()).toMatchObject([
      {
        label: "Replace foo($$$A) with bar($$$A) in src",
        sourceToolName: "ast_edit",
        details: { ops: rename.ops, paths: ["src"] },
      },
    ])
  })

  it("stages nothing with dry_run", async () => {
    await write({ "a.ts": "foo()" })
    const on = executor()
    const { status, content } = await edit(on, { ...rename, dry_run: true })
    expect(status).toBe("complete")
    expect(content).toContain("+bar()")
    expect(content).toContain("Dry run: nothing is changed, and nothing waits to be applied.")
    nothingPends(on)
  })

  it.each([
    [
      "nothing matches",
      { pattern: "baz($A)", replacement: "x" },
      "Nothing matches baz($A). 1 file searched: 1 typescript. Nothing would change. Try the pattern with ast_grep: it must be one complete piece of code, as it stands in a file.",
    ],
    [
      "nothing would change",
      { pattern: "foo($A)", replacement: "foo($A)" },
      "The code of 1 match reads like the replacement already. Nothing would change.",
    ],
    [
      "the pattern does not parse",
      { pattern: "foo($A", replacement: "x" },
      "The pattern foo($A is not valid typescript. It must be one complete piece of code: close its brackets, or name the language with lang.",
    ],
    [
      "the replacement uses what is not captured",
      { pattern: "foo($A)", replacement: "bar($B)" },
      "The replacement uses $B, but its pattern foo($A) captures $A. Use a metavariable as the pattern spells it.",
    ],
    [
      "a result would not parse",
      { pattern: "foo($A)", replacement: "bar($A" },
      "a.ts: The result would not be valid typescript: line 2 would have a syntax error at: bar(1. Correct the replacement.",
    ],
  ])("fails and stages nothing where %s", async (_what, op, message) => {
    await write({ "a.ts": "x()\nfoo(1)\n" })
    const on = executor()
    expect(await edit(on, { ops: [op], paths: ["."] })).toMatchObject({ status: "error", content: message })
    nothingPends(on)
  })

  it("names an op that matches nothing, and refuses one that is valid nowhere", async () => {
    await write({ "a.ts": "foo(1)\n" })
    const on = executor()
    const ops = [...rename.ops, { pattern: "baz($A)", replacement: "x" }]
    expect((await edit(on, { ...rename, ops })).content).toContain("Op 2 matches nothing: baz($A)\n")
    const broken = [...rename.ops, { pattern: "baz(", replacement: "x" }]
    expect((await edit(on, { ...rename, ops: broken })).content).toContain(
      "Op 2: The pattern baz( is not valid typescript.",
    )
  })

  it("tells of matches that it leaves alone, and of comments that would go", async () => {
    await write({ "a.ts": "foo(1 2)\nfoo(/* two */ 2)\n" })
    const params = { ops: [{ pattern: "foo($A)", replacement: "bar($A)" }], paths: ["."] }
    const { content } = await edit(executor(), params)
    expect(content).toContain(
      "Not replaced: 1 match with code inside that does not parse.\nComments inside of the replaced code that go with it: 1.\n",
    )
    await write({ "a.ts": "foo(1 2)\n" })
    const { status, content: nothing } = await edit(executor(), params)
    expect(status).toBe("error")
    expect(nothing).toContain("Not replaced: 1 match with code inside that does not parse.")
  })

  it("tells of overlapping matches that it cannot replace", async () => {
    await write({ "a.ts": "f(f(f(1)))\n" })
    const { content } = await edit(executor(), {
      ops: [{ pattern: "f(f($X))", replacement: "g($X)" }],
      paths: ["."],
    })
    expect(content).toContain("Not replaced: 1 match that overlapped with others.\n")
    expect(content).toContain("+f(g(1))\n")
  })

  it("is bounded, with the rest counted", async () => {
    const files = Array.from({ length: 80 }, (_, index) => [`f${index}.ts`, `foo("${"x".repeat(600)}")\n`])
    await write(Object.fromEntries(files))
    const on = executor()
    const { content, output } = await edit(on, rename)
    expect(Buffer.byteLength(content)).toBeLessThanOrEqual(50_000)
    expect(content).toMatch(/\[truncated: \d+ of 80 changed files are shown, and a part of the next one\]/)
    expect(content).toContain("f26.ts: 1 match and 60 more.")
    expect(output.details).toMatchObject({ totalFiles: 80, totalMatches: 80 })
    expect((await on.agent().resolve(apply, yes)).status).toBe("complete")
    expect(await read("f79.ts")).toContain("bar(")
  })
})

describe("apply", () => {
  it("writes the files as they were shown, keeping modes, marks and line ends", async () => {
    await write({ "a.ts": "\uFEFFfoo(1)\r\nfoo(2)", "b.py": "foo('é')\n", "c.ts": "x()\n" })
    await chmod(path("b.py"), 0o755)
    const on = executor()
    await edit(on, rename)
    const { status, content, output } = await on.agent().resolve(apply, yes)
    expect(status).toBe("complete")
    expect(content).toBe("Replaced 3 matches in 2 files.\na.ts: 2 matches, b.py: 1 match.")
    expect(output.details).toMatchObject({
      action: "apply",
      sourceToolName: "ast_edit",
      sourceResultDetails: { totalMatches: 3, diff: expect.stringContaining("+bar(1)") },
    })
    expect(await read("a.ts")).toBe("\uFEFFbar(1)\r\nbar(2)")
    expect(await read("b.py")).toBe("bar('é')\n")
    expect((await stat(path("b.py"))).mode & 0o777).toBe(0o755)
    nothingPends(on)
  })

  it("writes what a link leads to, and does not touch what appeared since", async () => {
    await write({ "real/a.ts": "foo()" })
    await symlink("real/a.ts", path("link.ts"))
    const on = executor()
    await edit(on, { ...rename, paths: ["link.ts", "real"] })
    await write({ "real/new.ts": "foo()" })
    expect((await on.agent().resolve(apply, yes)).content).toBe(
      "Replaced 1 match in 1 file.\nlink.ts: 1 match.",
    )
    expect(await read("real/a.ts")).toBe("bar()")
    expect(await read("real/new.ts")).toBe("foo()")
  })

  it("takes the names of one file for one file, and leaves names outside of the paths alone", async () => {
    await write({ "src/a.ts": "foo(1)", "src/c.ts": "foo(2)", "out/c.ts": "" })
    await link(path("src/a.ts"), path("src/b.ts"))
    await rm(path("out/c.ts"))
    await link(path("src/c.ts"), path("out/c.ts"))
    const on = executor()
    const { content } = await edit(on, { ...rename, paths: ["src"] })
    expect(content).toContain(
      [
        "Would replace 2 matches in 2 files. 3 files searched: 3 typescript.",
        "src/a.ts: 1 match, src/c.ts: 1 match.",
        "The same file as src/a.ts, changed with it: src/b.ts.",
        "src/c.ts has 1 other name (hard links) outside of the paths, with the former content from then on.",
        "",
        "--- src/a.ts",
      ].join("\n"),
    )
    expect((await on.agent().resolve(apply, yes)).content).toBe(
      "Replaced 2 matches in 2 files.\nsrc/a.ts: 1 match, src/c.ts: 1 match.",
    )
    expect([await read("src/a.ts"), await read("src/b.ts")]).toEqual(["bar(1)", "bar(1)"])
    expect([await read("src/c.ts"), await read("out/c.ts")]).toEqual(["bar(2)", "foo(2)"])
    expect((await stat(path("src/a.ts"))).ino).toBe((await stat(path("src/b.ts"))).ino)
  })

  it("is refused where a name is another file's since the preview", async () => {
    await write({ "a.ts": "foo(1)" })
    await link(path("a.ts"), path("b.ts"))
    const on = executor()
    await edit(on, rename)
    await rm(path("b.ts"))
    await write({ "b.ts": "foo(1)" })
    expect(await on.agent().resolve(apply, yes)).toMatchObject({
      status: "error",
      content:
        "a.ts changed since the preview. Discard the preview with the resolve tool and run ast_edit again. Nothing was written.",
    })
    expect([await read("a.ts"), await read("b.ts")]).toEqual(["foo(1)", "foo(1)"])
  })

  it.each([
    ["changed", () => write({ "b.ts": "foo(3)" })],
    ["gone", () => rm(path("b.ts"))],
    ["a folder", () => rm(path("b.ts")).then(() => mkdir(path("b.ts")))],
    ["a link to another file", () => rm(path("b.ts")).then(() => symlink("a.ts", path("b.ts")))],
  ])("is refused where a file is %s since the preview, and nothing is written", async (_what, change) => {
    await write({ "a.ts": "foo(1)", "b.ts": "foo(2)" })
    const on = executor()
    await edit(on, rename)
    await change()
    expect(await on.agent().resolve(apply, yes)).toMatchObject({
      status: "error",
      content:
        "b.ts changed since the preview. Discard the preview with the resolve tool and run ast_edit again. Nothing was written.",
    })
    expect(await read("a.ts")).toBe("foo(1)")
    expect((await on.agent().resolve(discard)).status).toBe("complete")
    nothingPends(on)
  })

  it("puts back what it wrote where one file fails, and can be tried again", async () => {
    await write({ "a.ts": "foo(1)", "b.ts": "foo(2)" })
    let fails = true
    const files: typeof localFiles = {
      ...localFiles,
      replace: async (real, content, signal) => {
        if (fails && real === path("b.ts")) throw Object.assign(new Error("no"), { code: "ENOSPC" })
        return localFiles.replace(real, content, signal)
      },
    }
    const on = executor(makeAstEditTool({ files }))
    await edit(on, rename)
    expect(await on.agent().resolve(apply, yes)).toMatchObject({
      status: "error",
      content: "Cannot write b.ts: no space left on the device. Put back: a.ts. No file is changed.",
    })
    expect(await read("a.ts")).toBe("foo(1)")
    fails = false
    expect((await on.agent().resolve(apply, yes)).status).toBe("complete")
    expect([await read("a.ts"), await read("b.ts")]).toEqual(["bar(1)", "bar(2)"])
  })

  it("puts back what it wrote where the resolve call is cancelled, and waits again", async () => {
    await write({ "a.ts": "foo(1)", "b.ts": "foo(2)" })
    let callId = ""
    const files: typeof localFiles = {
      ...localFiles,
      replace: async (real, content, signal) => {
        await localFiles.replace(real, content, signal)
        if (real === path("a.ts")) on.cancelCall(callId)
      },
    }
    const on = executor(makeAstEditTool({ files }))
    await edit(on, rename)
    const { status } = await on.agent().resolve(apply, {
      onEvent: (event) => {
        if (event._tag === "Started") callId = event.callId
        if (event._tag === "AwaitingApproval") event.approve()
      },
    })
    expect(status).toBe("cancelled")
    expect(on.agent("main").pendingActions.hasPending).toBe(true)
    expect([await read("a.ts"), await read("b.ts")]).toEqual(["foo(1)", "foo(2)"])
  })

  it("applies the latest preview first; an older one of the same file is stale then", async () => {
    await write({ "a.ts": "foo(1)" })
    const on = executor()
    await edit(on, rename)
    await edit(on, { ops: [{ pattern: "foo($A)", replacement: "baz($A)" }], paths: ["."] })
    expect((await on.agent().resolve(apply, yes)).status).toBe("complete")
    expect(await read("a.ts")).toBe("baz(1)")
    expect((await on.agent().resolve(apply, yes)).content).toContain("a.ts changed since the preview.")
  })
})

describe("the host's gate, once the model has applied", () => {
  const ruled = (rules: { allow?: ReadonlyArray<string>; deny?: ReadonlyArray<string> }) =>
    executor(astEditTool, { filters: ToolFilters.compile({ ast_edit: rules }) })

  /** What the host is asked, with no answer of its own to give. */
  const askedBy = async (on: ToolExecutor, params: Readonly<Record<string, unknown>> = rename) => {
    await edit(on, params)
    const asked: Array<AwaitingApprovalEvent> = []
    const result = await on.agent().resolve(apply, {
      onEvent: (event) => {
        if (event._tag !== "AwaitingApproval") return
        asked.push(event)
        event.deny("Not now")
      },
    })
    on.agent().pendingActions.clear()
    return { asked, result }
  }

  it("is asked with the tool's name, its parameters and the diff; a denial writes nothing and leaves it pending", async () => {
    await write({ "in/a.ts": "foo(1)", "out/b.ts": "foo(2)" })
    const on = executor(astEditTool, { cwd: path("in") })
    const params = { ...rename, paths: [".", path("out")] }
    await edit(on, params)
    expect(await on.agent().resolve(apply)).toMatchObject({
      status: "denied",
      content: "Denied: this call needs an approval, and nobody is there to give it",
    })
    expect(on.agent().pendingActions.hasPending).toBe(true)
    const { asked, result } = await askedBy(on, params)
    expect(asked).toMatchObject([
      {
        name: "ast_edit",
        params,
        label: expect.stringMatching(/^Replace foo\(\$\$\$A\) with bar\(\$\$\$A\) in \., /),
        because: "There is no rule for the tool `ast_edit`.",
        preview: { content: [{ type: "text", text: expect.stringContaining("\n-foo(2)\n") }] },
      },
    ])
    expect(result).toMatchObject({ status: "denied", content: "Not now" })
    expect([await read("in/a.ts"), await read("out/b.ts")]).toEqual(["foo(1)", "foo(2)"])
  })

  it("is passed by rules where they allow each file that would change, by its own name and where it leads", async () => {
    const globbed = { ...rename, paths: ["src/{a,../../out}/*.ts"] }
    for (const [rules, params, isAsked] of [
      [{ allow: ["^src/"] }, rename, true],
      [{ allow: ["^src/", "^out/"] }, rename, false],
      [{ allow: ["^src/"] }, { ...rename, paths: ["src"] }, false],
      [{ allow: ["^src/a/", "\\*"] }, { ...rename, paths: ["src/*/*.ts"] }, true],
      [{ allow: ["^src/"] }, globbed, false],
      [{ allow: ["^src\\b"] }, { ...rename, paths: ["src/x.ts"] }, true],
    ] as const) {
      await write({ "src/a/a.ts": "foo(1)", "src/b/b.ts": "foo(2)", "out/c.ts": "foo(3)" })
      await rm(path("src/x.ts"), { force: true })
      await symlink("../out/c.ts", path("src/x.ts"))
      const { asked, result } = await askedBy(ruled(rules), params)
      expect([rules, asked.length, result.status]).toEqual([
        rules,
        isAsked ? 1 : 0,
        isAsked ? "denied" : "complete",
      ])
      expect(result.decidedBy?.kind).toBe(isAsked ? "user" : "rule")
    }
  })

  it("is not reached past a deny rule, whoever approved beforehand", async () => {
    await write({ "src/a.ts": "foo(1)", "src/b.ts": "foo(2)" })
    const filters = ToolFilters.empty()
    const on = executor(astEditTool, { filters })
    await edit(on, rename)
    filters.add({ ast_edit: { deny: ["b\\.ts$"], allow: [".*"] } })
    expect(await on.decide({ name: "resolve", params: apply })).toMatchObject({ verdict: "deny" })
    expect(await on.agent().resolve(apply, yes)).toMatchObject({
      status: "denied",
      content: "Denied by policy: a rule forbids this call of ast_edit",
      decidedBy: { kind: "rule", rule: "b\\.ts$" },
    })
    expect(await on.run({ name: "resolve", params: apply, decision: "approve" })).toMatchObject({
      status: "error",
      content: "A rule denies src/b.ts since the preview. Nothing was written.",
    })
    expect([await read("src/a.ts"), await read("src/b.ts")]).toEqual(["foo(1)", "foo(2)"])
  })

  it("is decided by reviewers, who are shown the preview, and by the decision of the resolve call alone", async () => {
    await write({ "a.ts": "foo(1)" })
    const shown: Array<unknown> = []
    const on = executor(astEditTool, {
      reviewers: [
        ({ name, preview }) => {
          shown.push([name, preview?.content])
          return { verdict: "deny", reason: "Not before noon." }
        },
      ],
    })
    await on.run({ name: "ast_edit", params: rename, decision: "approve" })
    expect(await on.agent().resolve(apply, yes)).toMatchObject({
      status: "denied",
      content: "Not before noon.",
    })
    expect(shown).toEqual([["ast_edit", [{ type: "text", text: expect.stringContaining("+bar(1)") }]]])
    const approved = await on.run({ name: "resolve", params: apply, decision: "approve" })
    expect(approved).toMatchObject({ status: "complete", decidedBy: { kind: "call" } })
    expect(await read("a.ts")).toBe("bar(1)")
  })

  it("is not there where the model decides alone, and for a dry run", async () => {
    await write({ "a.ts": "foo(1)" })
    const on = executor(makeAstEditTool({ files: localFiles }, { approval: "model" }))
    await edit(on, rename)
    expect((await on.agent().resolve(apply)).status).toBe("complete")
    expect(await read("a.ts")).toBe("bar(1)")
    const plan = (params: object) => astEditTool.compose({ ...rename, ...params }, {} as never).describe()
    expect(plan({}).map(({ kind }) => kind)).toEqual(["handler", "resolve", "approval", "handler"])
    expect(plan({ dry_run: true }).map(({ kind }) => kind)).toEqual(["handler", "handler"])
    expect(() => makeAstEditTool({ files: localFiles }, { approval: "me" as never })).toThrow(
      'Expected `approval` of `makeAstEditTool` to be "host" or "model", got `me` (string)',
    )
  })
})

describe("discard", () => {
  it("leaves everything as it is", async () => {
    await write({ "a.ts": "foo()" })
    const on = executor()
    await edit(on, rename)
    expect((await on.agent().resolve(discard)).content).toBe(
      "Discarded: Replace foo($$$A) with bar($$$A). Reason: not now",
    )
    expect(await read("a.ts")).toBe("foo()")
    nothingPends(on)
  })
})

describe("several languages", () => {
  it("are edited in one call, each by its own grammar", async () => {
    const files = {
      "a.ts": "foo(1)",
      "b.tsx": "<p>{foo(1)}</p>",
      "c.js": "foo(1)",
      "d.py": "foo(1)",
      "e.rs": "fn f() { foo(1) }",
      "f.go": "package p\n\nfunc f() { foo(1) }",
    }
    await write({ ...files, "g.css": "a { top: 0 }" })
    const on = executor()
    const { content } = await edit(on, rename)
    expect(content).toContain("1 typescript, 1 tsx, 1 javascript, 1 python, 1 rust, 1 go.")
    expect(content).toContain("Not searched: 1 css file.")
    await on.agent().resolve(apply, yes)
    for (const [name, text] of Object.entries(files))
      expect(await read(name)).toBe(text.replace("foo", "bar"))
  })
})

describe("the workspace", () => {
  it("is not left, neither for the preview nor when it is applied", async () => {
    await write({ "in/a.ts": "foo()", "out/a.ts": "foo()" })
    const on = executor(astEditTool, { workspace: path("in") })
    expect(await edit(on, { ...rename, paths: ["out"] })).toMatchObject({
      status: "error",
      content: `out is outside the workspace ${path("in")}. Use a path inside it.`,
    })
    await edit(on, { ...rename, paths: ["in"] })
    await rm(path("in"), { recursive: true })
    await symlink("out", path("in"))
    expect((await on.agent().resolve(apply, yes)).status).toBe("error")
    expect(await read("out/a.ts")).toBe("foo()")
  })
})
