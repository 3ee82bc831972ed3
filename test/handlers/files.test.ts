// @module-tag waits
import { execFileSync } from "node:child_process"
import { chmod, mkdir, open, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import {
  ApplyEdits,
  FileChange,
  ReadFile,
  type ReadFileOptions,
  ValidateEdits,
  ValidateFile,
  ValidateFileNotExists,
  ValidateFileWritable,
  WriteFile,
} from "../../src/handlers/index.ts"
import { localFiles } from "../../src/io/index.ts"
import { makeFifo } from "../io/fifo.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { answerOf, runHandler } from "./run-handler.ts"

const path = useTempFolder()
const here = () => ({ cwd: path() })

describe("ValidateFile", () => {
  it("goes on for a file, also through a link", async () => {
    await writeFile(path("file"), "")
    await symlink("file", path("link"))
    expect(await answerOf(ValidateFile({ path: "link" }), here())).toBe("Continue")
    expect(await answerOf(ValidateFile({ path: path("file") }), { cwd: "/" })).toBe("Continue")
  })

  it("refuses an empty path, which would be the folder itself", async () => {
    const message = "Error: The path is empty. Give the path of a file."
    expect(await answerOf(ValidateFile({ path: "" }), here())).toBe(message)
    expect(await answerOf(ValidateFileNotExists({ path: "" }), here())).toBe(message)
  })

  it.each([
    ["missing", "File not found: missing. Check the path; relative paths start at the working directory."],
    ["folder", "folder is a directory, not a file. List it with the shell tool: ls folder"],
    ["fifo", "fifo is not a regular file but a device, a pipe or a socket. It cannot be read or edited."],
    ["circle", "Too many symbolic links in circle."],
  ])("tells what is wrong with a %s", async (name, message) => {
    await mkdir(path("folder"))
    makeFifo(path("fifo"))
    await symlink("circle", path("circle"))
    expect(await answerOf(ValidateFile({ path: name }), here())).toBe(`Error: ${message}`)
  })
})

describe("ValidateFileNotExists", () => {
  it("refuses a file and a folder", async () => {
    await writeFile(path("file"), "")
    const validate = (name: string) => answerOf(ValidateFileNotExists({ path: name }), here())
    expect(await validate("new/file")).toBe("Continue")
    expect(await validate("file")).toBe("Error: File already exists: file. Use edit_file to change it.")
    expect(await validate(".")).toBe("Error: . is a directory. Choose the path of a file.")
  })
})

describe("ValidateFileWritable", () => {
  it("asks the files whether they may be written", async () => {
    await writeFile(path("file"), "")
    const validate = (files = localFiles) => answerOf(ValidateFileWritable({ path: "file" }, files), here())
    expect(await validate()).toBe("Continue")
    expect(await validate({ ...localFiles, isWritable: async () => false })).toBe(
      "Error: file is not writable. Change its permissions, or choose another file.",
    )
  })
})

describe("the workspace", () => {
  it("keeps out what lies outside, also through links and in folders that do not exist", async () => {
    await mkdir(path("work/sub"), { recursive: true })
    await writeFile(path("secret"), "secret")
    await symlink("..", path("work/up"))
    await symlink("../nowhere", path("work/dangling"))
    const context = { cwd: path("work"), workspace: path("work") }
    for (const name of [
      "../secret",
      "up/secret",
      path("secret"),
      "dangling/file",
      "up/new/file",
      "/etc/passwd",
    ]) {
      const refused = `Error: ${name} is outside the workspace ${path("work")}. Use a path inside it.`
      expect(await answerOf(ReadFile({ path: name }), context)).toBe(refused)
      expect(await answerOf(WriteFile({ path: name, content: "" }), context)).toBe(refused)
      expect(await answerOf(ValidateEdits({ path: name, edits: [] }), context)).toBe(refused)
    }
    expect(await answerOf(WriteFile({ path: "sub/../..file", content: "" }), context)).toContain("Created")
    expect(await readdir(path())).toEqual(["secret", "work"])
  })

  it("may itself be reached through a link", async () => {
    await mkdir(path("real"))
    await symlink("real", path("link"))
    const context = { cwd: path("link"), workspace: path("link") }
    expect(await answerOf(WriteFile({ path: "file", content: "a" }), context)).toBe("Created file (1 line)")
  })
})

describe("ReadFile", () => {
  const read = (options: Omit<ReadFileOptions, "path"> = {}) =>
    answerOf(ReadFile({ path: "file", ...options }), here())

  it("numbers the lines", async () => {
    await writeFile(path("file"), `${"x\n".repeat(9998)}y\nz`)
    expect(await read({ endLine: 2 })).toBe("   1│x\n   2│x")
    expect(await read({ startLine: 9999 })).toBe("9999│y\n10000│z")
    expect(await read({ startLine: 9998, endLine: 9999 })).toBe("9998│x\n9999│y")
    expect(await read({ startLine: 10000, endLine: 20000 })).toBe("10000│z")
    expect(await read({ startLine: 10000, endLine: -1 })).toBe("10000│z")
  })

  it("shows neither a byte order mark nor carriage returns", async () => {
    await writeFile(path("file"), "\uFEFFa\r\nb\r\n")
    expect(await read()).toBe("   1│a\n   2│b")
  })

  it("tells that a file is empty", async () => {
    await writeFile(path("file"), "")
    expect(await read()).toBe("(empty file)")
  })

  it.each([
    [{ startLine: 4 }, "start_line 4 is past the end of file, which has 3 lines."],
    [{ startLine: 3, endLine: 2 }, "start_line 3 is after end_line 2. Swap them."],
    [{ startLine: 0 }, "start_line must be 1 or more, got 0. Lines are numbered from 1."],
    [{ endLine: 0 }, "end_line must be 1 or more, or -1 for the end of the file, got 0."],
    [{ endLine: -2 }, "end_line must be 1 or more, or -1 for the end of the file, got -2."],
  ])("tells what is wrong with the range %j", async (range, message) => {
    await writeFile(path("file"), "a\nb\nc\n")
    expect(await read(range)).toBe(`Error: ${message}`)
  })

  it("tells a binary file and one that is not UTF-8", async () => {
    await writeFile(path("file"), "PK\0\0")
    expect(await read()).toMatch(/^Error: file is a binary file \(it holds NUL bytes\), not text\./)
    await writeFile(path("file"), Buffer.from("a\nb\xff\n", "latin1"))
    expect(await read()).toMatch(/^Error: file is not valid UTF-8 text \(line 2\)\./)
  })

  it("cuts past 50,000 bytes at a line, and tells where to continue", async () => {
    await writeFile(path("file"), "é".repeat(20).concat("\n").repeat(3000))
    const text = await read()
    const [, last, next] =
      /\[truncated: lines 1 to (\d+) of a file of 123000 bytes\. Continue with start_line (\d+)\]$/
        .exec(text)!
        .map(Number)
    expect(next).toBe(last! + 1)
    const shown = text.slice(0, text.lastIndexOf("\n") + 1)
    expect(Buffer.byteLength(shown)).toBeLessThanOrEqual(50_000)
    expect(Buffer.byteLength(shown)).toBeGreaterThan(49_950)
    expect((await read({ startLine: next! })).startsWith(`${String(next).padStart(4)}│é`)).toBe(true)
  })

  it("shows 50,000 bytes in full, and not one more", async () => {
    await writeFile(path("file"), `${"x".repeat(92)}\n`.repeat(500))
    const text = await read()
    expect(Buffer.byteLength(`${text}\n`)).toBe(50_000)
    expect(text).not.toContain("truncated")
    await writeFile(path("file"), `${"x".repeat(92)}\n`.repeat(499).concat("x".repeat(93)))
    expect(await read()).toContain("[truncated: lines 1 to 499 ")
  })

  it("cuts a line that is too long between characters", async () => {
    await writeFile(path("file"), `${"é".repeat(100_000)}\nnext\n`)
    const text = await read()
    expect(text).toMatch(
      /^ {3}1│é+\n\[truncated: line 1 is too long, this is its beginning; the file has 200006 bytes\. Continue with start_line 2\]$/,
    )
    expect(Buffer.byteLength(text)).toBeLessThan(50_200)
    expect(await read({ startLine: 2 })).toBe("   2│next")
  })

  it("reads a range of a file of 2 GB without its memory", async () => {
    const file = await open(path("file"), "w")
    await file.write("one\ntwo\nthree\n")
    await file.truncate(2 ** 31)
    await file.close()
    const before = process.memoryUsage().rss
    expect(await read({ startLine: 2, endLine: 3 })).toBe("   2│two\n   3│three")
    expect(await read()).toContain("binary file")
    expect(process.memoryUsage().rss - before).toBeLessThan(64 * 1024 * 1024)
  })
})

describe("WriteFile", () => {
  it("makes folders and tells how many lines were written", async () => {
    expect(await answerOf(WriteFile({ path: "a/b", content: "1\n2\n" }), here())).toBe(
      "Created a/b (2 lines)",
    )
    expect(await answerOf(WriteFile({ path: "c", content: "1\n2" }), here())).toBe("Created c (2 lines)")
    expect(await answerOf(WriteFile({ path: "d", content: "" }), here())).toBe("Created d (0 lines)")
    expect(await readFile(path("a/b"), "utf8")).toBe("1\n2\n")
  })

  it("refuses half of a character, which would be written as another", async () => {
    expect(await answerOf(WriteFile({ path: "a", content: "whole \u{1f600}" }), here())).toContain("Created")
    expect(await answerOf(WriteFile({ path: "b", content: "half \ud83d" }), here())).toBe(
      "Error: content has half of a character (one of two surrogates). Give whole characters.",
    )
    expect(await readdir(path())).toEqual(["a"])
  })

  it("refuses a file that appeared, and leaves it alone", async () => {
    await writeFile(path("file"), "theirs")
    const change = new FileChange()
    const memory = {}
    expect(await answerOf(WriteFile({ path: "file", content: "ours", change }), { ...here(), memory })).toBe(
      "Error: File already exists: file. Use edit_file to change it.",
    )
    expect(await readFile(path("file"), "utf8")).toBe("theirs")
    expect(change.isWritten(memory)).toBe(false)
  })

  it("tells that a folder of the path is a file", async () => {
    await writeFile(path("file"), "")
    for (const name of ["file/below", "file/far/below"]) {
      expect(await answerOf(WriteFile({ path: name, content: "" }), here())).toBe(
        `Error: A part of ${name} is a file, not a folder. Check the path.`,
      )
    }
  })
})

describe("ValidateEdits", () => {
  it("outputs the diff and changes nothing", async () => {
    await writeFile(path("file"), "\uFEFFone\r\ntwo\r\n")
    const step = await runHandler(
      ValidateEdits({ path: "file", edits: [{ old_string: "two", new_string: "2" }] }),
      here(),
    )
    const diff = "--- file\n+++ file\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n"
    expect(step).toEqual({
      _tag: "Output",
      output: { content: [{ type: "text", text: diff }], details: { path: "file", diff } },
    })
    expect(await readFile(path("file"), "utf8")).toBe("\uFEFFone\r\ntwo\r\n")
  })

  it("tells files that cannot be edited", async () => {
    const edits = [{ old_string: "a", new_string: "b" }]
    await writeFile(path("file"), Buffer.from([0x61, 0xff]))
    expect(await answerOf(ValidateEdits({ path: "file", edits }), here())).toBe(
      "Error: file is not valid UTF-8 text. It cannot be edited.",
    )
    const file = await open(path("large"), "w")
    await file.truncate(2 ** 31)
    await file.close()
    expect(await answerOf(ValidateEdits({ path: "large", edits }), here())).toBe(
      "Error: large is too large to edit: 2147483648 bytes, the limit is 67108864.",
    )
  })
})

describe("ApplyEdits", () => {
  const edits = [{ old_string: "one\ntwo", new_string: "1\n2" }]

  it("keeps the mode, the link, the byte order mark, CRLF and a missing last newline", async () => {
    await writeFile(path("file"), "\uFEFFone\r\ntwo\r\nthree")
    await chmod(path("file"), 0o755)
    await symlink("file", path("link"))
    expect(await answerOf(ApplyEdits({ path: "link", edits }), here())).toBe(
      "Successfully applied 1 edit(s) to link",
    )
    expect(await readFile(path("file"), "utf8")).toBe("\uFEFF1\r\n2\r\nthree")
    expect((await stat(path("file"))).mode & 0o777).toBe(0o755)
    expect(
      (await readdir(path(), { withFileTypes: true })).map((entry) => [entry.name, entry.isSymbolicLink()]),
    ).toEqual([
      ["file", false],
      ["link", true],
    ])
  })

  const previewed = async () => {
    const change = new FileChange()
    await writeFile(path("file"), "one\ntwo\nthree\n")
    await symlink("file", path("link"))
    const options = { path: "link", edits, change }
    const memory = {}
    expect((await runHandler(ValidateEdits(options), { ...here(), memory }))._tag).toBe("Output")
    return {
      isWritten: () => change.isWritten(memory),
      apply: () => answerOf(ApplyEdits(options), { ...here(), memory }),
    }
  }
  const refused =
    "Error: link has changed since the edit was previewed. Nothing was written. Read the file again."

  it("writes the file that was previewed, and says so", async () => {
    const { isWritten, apply } = await previewed()
    expect(await apply()).toBe("Successfully applied 1 edit(s) to link")
    expect(isWritten()).toBe(true)
  })

  it("refuses a file that changed after its preview, even where the edits still match", async () => {
    const { isWritten, apply } = await previewed()
    await writeFile(path("file"), "one\ntwo\nthree!\n")
    expect(await apply()).toBe(refused)
    expect(await readFile(path("file"), "utf8")).toBe("one\ntwo\nthree!\n")
    expect(isWritten()).toBe(false)
  })

  it("refuses a path that leads to another file after its preview, even of the same content", async () => {
    const { apply } = await previewed()
    await writeFile(path("other"), "one\ntwo\nthree\n")
    execFileSync("ln", ["-sfn", "other", path("link")])
    expect(await apply()).toBe(refused)
    expect(await readFile(path("other"), "utf8")).toBe("one\ntwo\nthree\n")
  })
})
