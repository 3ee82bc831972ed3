// @module-tag waits
import { chmod, mkdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { createEditTool, fromPiTool } from "../../../../src/custom-tools/index.ts"
import { useTempFolder } from "../../../io/temp-folder.ts"
import { eventsOf, trusting } from "../../tool-runs.ts"
import { failureOf, run, textFrom } from "./run-tool.ts"

const path = useTempFolder()
const make = () => createEditTool(path())

/** What the file holds after the edits. */
const edited = async (
  before: string,
  ...edits: Array<[oldText: string, newText: string]>
): Promise<string> => {
  await writeFile(path("file"), before)
  await run(make(), { path: "file", edits: edits.map(([oldText, newText]) => ({ oldText, newText })) })
  return readFile(path("file"), "utf8")
}

const failed = async (
  before: string,
  ...edits: Array<[oldText: string, newText: string]>
): Promise<string> => {
  await writeFile(path("file"), before)
  const params = { path: "file", edits: edits.map(([oldText, newText]) => ({ oldText, newText })) }
  const message = await failureOf(make(), params)
  expect(await readFile(path("file"), "utf8")).toBe(before)
  return message
}

describe("edits", () => {
  it("are all looked for in the file as it was", async () => {
    expect(await edited("one two three", ["one", "two"], ["two", "one"])).toBe("two one three")
    expect(await edited("a\nb\nc\n", ["c\n", ""], ["a", "A"])).toBe("A\nb\n")
  })

  it("may stand beside the path, also where a wrapper hands them on unprepared", async () => {
    await writeFile(path("file"), "one two")
    await run(make(), { path: "file", oldText: "one", newText: "1" } as never)
    expect(await readFile(path("file"), "utf8")).toBe("1 two")
    expect(await failureOf(make(), { path: "file" } as never)).toBe(
      "Edit tool input is invalid. edits must contain at least one replacement.",
    )
  })

  it("take what looks like a pattern of replace as text", async () => {
    expect(await edited("price", ["price", "$& $1 $$"])).toBe("$& $1 $$")
  })

  it("keep the byte order mark and every line ending around them", async () => {
    expect(await edited("\uFEFFa\r\nb\r\nc\n", ["a\nb", "x\ny"])).toBe("\uFEFFx\r\ny\r\nc\n")
    expect(await edited("a\nb\r\nc", ["c", "d\ne"])).toBe("a\nb\r\nd\ne")
  })

  it("keep the file's mode, and write through a link", async () => {
    await writeFile(path("real"), "old")
    await chmod(path("real"), 0o640)
    await symlink("real", path("link"))
    await run(make(), { path: "link", edits: [{ oldText: "old", newText: "new" }] })
    expect(await readFile(path("real"), "utf8")).toBe("new")
    expect((await stat(path("real"))).mode & 0o777).toBe(0o640)
  })

  it("of one file wait for each other", async () => {
    await writeFile(path("file"), "a b c")
    const edit = (oldText: string) =>
      run(make(), { path: "file", edits: [{ oldText, newText: `${oldText}!` }] })
    await Promise.all(["a", "b", "c"].map(edit))
    expect(await readFile(path("file"), "utf8")).toBe("a! b! c!")
  })
})

describe("text that is not there as it is written", () => {
  it("is found without spaces at line ends and with plain quotes and dashes", async () => {
    expect(await edited("say “hi” – now\u00a0\nrest  \n", ['say "hi" - now\n', "said\n"])).toBe(
      "said\nrest  \n",
    )
    expect(await edited("if (x)  \n  y\nend", ["if (x)\n  y", "z"])).toBe("z\nend")
  })

  it("changes nothing around it", async () => {
    expect(await edited("‘keep’  \n“old”\n‘keep’  ", ['"old"', "new"])).toBe("‘keep’  \nnew\n‘keep’  ")
    expect(await edited("a\r\n“b”\r\nc", ['a\n"b"', "x\ny"])).toBe("x\r\ny\r\nc")
    expect(await edited("say “a” b", ['"a" ', "c "])).toBe("say c b")
    expect(await edited("x ﬁle y", ["file", "folder"])).toBe("x folder y")
  })

  it("is not blank", async () => {
    expect(await failed("a b", ["\t", "x"])).toMatch(/^Could not find/)
  })
})

describe("failures", () => {
  it("name the edit", async () => {
    expect(await failed("a a", ["a", "b"])).toBe(
      "Found 2 occurrences of the exact text in file. It must be unique: give more of the text around it.",
    )
    expect(await failed("aba ab", ["ab", "x"], ["none", "y"])).toMatch(
      /^Found 2 occurrences of edits\[0\] in file/,
    )
    expect(await failed("a", ["a", "b"], ["none", "y"])).toMatch(/^Could not find edits\[1\] in file\. /)
    expect(await failed("a", ["", "b"])).toBe("oldText must not be empty in file.")
    expect(await failed("abc", ["ab", "x"], ["bc", "y"])).toBe(
      "edits[0] and edits[1] overlap in file. Make them one edit, or change places that are apart.",
    )
    expect(await failed("a", ["a", "a"])).toBe(
      "No changes made to file: what would be put in is what is there.",
    )
    expect(await failed("a")).toBe("Edit tool input is invalid. edits must contain at least one replacement.")
  })

  it("count overlapping places", async () => {
    expect(await failed("aaa", ["aa", "b"])).toMatch(/^Found 2 occurrences/)
  })

  it("tell why a file cannot be edited", async () => {
    await mkdir(path("folder"))
    await writeFile(path("latin"), Buffer.from([0x61, 0xff]))
    const edits = [{ oldText: "a", newText: "b" }]
    expect(await failureOf(make(), { path: "none", edits })).toBe(
      "Could not edit file: none. Error code: ENOENT.",
    )
    expect(await failureOf(make(), { path: "folder", edits })).toBe(
      "Could not edit file: folder. Error code: EISDIR.",
    )
    expect(await failureOf(make(), { path: "latin", edits })).toBe(
      "Could not edit file: latin. It is not valid UTF-8 text.",
    )
  })

  it("leave the file alone when the call was aborted", async () => {
    await writeFile(path("file"), "a")
    const params = { path: "file", edits: [{ oldText: "a", newText: "b" }] }
    expect(await failureOf(make(), params, AbortSignal.abort())).toBe("Operation aborted")
    expect(await readFile(path("file"), "utf8")).toBe("a")
  })
})

it("answers with how much it changed, and the diff with line numbers", async () => {
  const before = Array.from({ length: 20 }, (_, index) => `line ${index + 1}\n`).join("")
  await writeFile(path("file"), before)
  const params = {
    path: "file",
    edits: [
      { oldText: "line 8\n", newText: "eight\nmore\n" },
      { oldText: "line 20\n", newText: "" },
    ],
  }
  const { content, details } = await run(make(), params)
  expect(content).toEqual([{ type: "text", text: "Successfully replaced 2 block(s) in file." }])
  expect(details).toEqual({
    firstChangedLine: 8,
    patch: expect.stringMatching(/^--- file\n\+\+\+ file\n@@ -4,9 \+4,10 @@\n line 4\n.*\n-line 20\n$/s),
    diff: [
      "    ...",
      "  4 line 4",
      "  5 line 5",
      "  6 line 6",
      "  7 line 7",
      "- 8 line 8",
      "+ 8 eight",
      "+ 9 more",
      "  9 line 9",
      " 10 line 10",
      " 11 line 11",
      " 12 line 12",
      "    ...",
      " 16 line 16",
      " 17 line 17",
      " 18 line 18",
      " 19 line 19",
      "-20 line 20",
    ].join("\n"),
  })
})

it("takes what some models send instead of a list of edits", () => {
  const prepare = make().prepareArguments!
  const edit = { oldText: "a", newText: "b" }
  const whole = { path: "f", edits: [edit] }
  expect(prepare({ path: "f", ...edit })).toEqual(whole)
  expect(prepare({ path: "f", edits: JSON.stringify([edit]) })).toEqual(whole)
  expect(prepare({ path: "f", edits: [edit], oldText: "c", newText: "d" })).toEqual({
    path: "f",
    edits: [edit, { oldText: "c", newText: "d" }],
  })
  expect(prepare({ path: "f", edits: edit })).toEqual(whole)
  expect(prepare({ path: "f", edits: JSON.stringify(edit) })).toEqual(whole)
  expect(prepare(whole)).toEqual(whole)
  expect(prepare({ path: "f", edits: "no json" })).toEqual({ path: "f", edits: "no json" })
  expect(prepare(null)).toBeNull()
})

it("passes over what models send besides", async () => {
  await writeFile(path("file"), "a")
  const edits = [{ oldText: "a", newText: "b", reason: "better" }]
  const events = await eventsOf(fromPiTool(make(), trusting), { path: "file", edits, note: "x" })
  expect(events.at(-1)).toMatchObject({ _tag: "Completed" })
  expect(await readFile(path("file"), "utf8")).toBe("b")
})

it("edits through the operations that it is given", async () => {
  const files = new Map([["/far/f", "a"]])
  const tool = createEditTool("/far", {
    operations: {
      access: async (file) => {
        if (!files.has(file)) throw new Error("not over there")
      },
      readFile: async (file) => Buffer.from(files.get(file)!),
      writeFile: async (file, content) => void files.set(file, content),
    },
  })
  const edits = [{ oldText: "a", newText: "b" }]
  expect(await textFrom(tool, { path: "f", edits })).toBe("Successfully replaced 1 block(s) in f.")
  expect(files.get("/far/f")).toBe("b")
  expect(await failureOf(tool, { path: "g", edits })).toBe("Could not edit file: g. not over there.")
})
