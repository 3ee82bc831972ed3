import { mkdir, writeFile } from "node:fs/promises"
import { describe, expect, test } from "vitest"
import { completePath } from "../../../src/hosts/terminal/complete-path.ts"
import type { KeyPress } from "../../../src/hosts/terminal/keyboard.ts"
import { LineEditor, type LineEditorOptions } from "../../../src/hosts/terminal/line-editor.ts"
import { LineHistory } from "../../../src/hosts/terminal/line-history.ts"
import { useTempFolder } from "../../io/temp-folder.ts"

const editorWith = (options: Partial<LineEditorOptions> = {}) => {
  const lines: Array<string> = []
  const editor = new LineEditor({
    onLine: (line) => lines.push(line),
    onEnd: () => lines.push("END"),
    ...options,
  })
  const key = (name: string, more: Partial<KeyPress> = {}) =>
    editor.press({ name, text: "", pasted: false, ...more })
  return {
    editor,
    lines,
    key,
    control: (name: string) => key(name, { ctrl: true }),
    meta: (name: string) => key(name, { meta: true }),
    type: (text: string) => {
      for (const character of text) editor.press({ name: character, text: character, pasted: false })
    },
    paste: (text: string) => editor.press({ text, pasted: true }),
    /** The text with its cursor. */
    drawn: (width = 40, rows = 5) => {
      const { rows: shown, cursor } = editor.draw(width, rows, 2)
      return [shown, [cursor.row, cursor.column]]
    },
  }
}

describe("a text of several lines", () => {
  test("keeps the lines of a paste, whatever ends them, and Enter sends it whole", () => {
    const { paste, key, lines, drawn } = editorWith()
    paste("for i in 1 2\r\ndo echo $i\rdone")
    expect(drawn()).toEqual([
      ["for i in 1 2", "  do echo $i", "  done"],
      [2, 6],
    ])
    key("return", { text: "\r" })
    expect(lines).toEqual(["for i in 1 2\ndo echo $i\ndone"])
  })

  test("gets a line by Ctrl-J and by Alt-Enter", () => {
    const { type, key, meta, lines } = editorWith()
    type("a")
    key("enter", { text: "\n" })
    type("b")
    meta("return")
    type("c")
    key("return")
    expect(lines).toEqual(["a\nb\nc"])
  })

  test("is edited in the middle: the arrows move between its lines", () => {
    const { editor, paste, key, type, control } = editorWith()
    paste("one\ntwo\nthree")
    key("up")
    type("!")
    expect(editor.text).toBe("one\ntwo!\nthree")
    control("a")
    key("backspace")
    expect(editor.text).toBe("onetwo!\nthree")
    key("down")
    control("e")
    control("w")
    expect(editor.text).toBe("onetwo!\n")
  })

  test("shows the rows around its cursor", () => {
    const { paste, drawn, key } = editorWith()
    paste(Array.from({ length: 9 }, (_, line) => `${line}`).join("\n"))
    expect(drawn(40, 3)).toEqual([
      ["  6", "  7", "  8"],
      [2, 3],
    ])
    for (let times = 0; times < 4; times += 1) key("up")
    expect(drawn(40, 3)).toEqual([
      ["  3", "  4", "  5"],
      [1, 3],
    ])
  })

  test("breaks at the width, wide characters whole, and shows what it hides", () => {
    const { paste, drawn } = editorWith()
    paste("abcdef日本\t\u001b[A\u200b")
    expect(drawn(10, 9)).toEqual([
      ["abcdef", "  日本", "  ⇥   ", "  ⟦ESC⟧[A", "  ⟦U+200B⟧"],
      [4, 10],
    ])
  })

  test("of megabytes is pasted and drawn at once", () => {
    const { paste, drawn, editor, key } = editorWith()
    paste("line of text\n".repeat(100_000))
    for (let times = 0; times < 50; times += 1) {
      key("left")
      drawn(80, 10)
    }
    expect(editor.text).toHaveLength(1_300_000)
  })
})

describe("the keys of shells", () => {
  test("cut, paste and move by words", () => {
    const { editor, type, control, meta } = editorWith()
    type("one two three")
    control("w")
    control("a")
    control("y")
    expect(editor.text).toBe("threeone two ")
    meta("f")
    control("k")
    expect(editor.text).toBe("threeone")
    control("u")
    expect(editor.isEmpty).toBe(true)
    control("y")
    expect(editor.text).toBe("threeone")
  })

  test("never part what is one character to people", () => {
    const { editor, paste, key } = editorWith()
    paste("a👩‍👩‍👧e\u0301")
    key("backspace")
    key("backspace")
    expect(editor.text).toBe("a")
  })

  test("Ctrl-D ends an empty line, and deletes in another", () => {
    const { editor, type, control, key, lines } = editorWith()
    type("ab")
    key("home")
    control("d")
    expect(editor.text).toBe("b")
    control("d")
    control("d")
    expect(lines).toEqual(["END"])
  })
})

describe("the history", () => {
  const history = () => new LineHistory(["shell make", "read_file a\nb", "shell ls"])

  test("is walked by the arrows, and gives back what was typed before", () => {
    const { editor, type, key } = editorWith({ history: history() })
    type("half")
    key("up")
    expect(editor.text).toBe("shell ls")
    key("up")
    expect(editor.text).toBe("read_file a\nb")
    key("down")
    key("down")
    expect(editor.text).toBe("half")
    key("down")
    expect(editor.text).toBe("half")
  })

  test("keeps the latest of equal lines, and none that begins with a blank", () => {
    const added: Array<string> = []
    const lines = new LineHistory(["a", "b", "a"], (line) => added.push(line))
    lines.add("b")
    lines.add(" secret")
    expect([lines.at(0), lines.at(1), lines.at(2)]).toEqual(["a", "b", undefined])
    expect(added).toEqual(["b"])
  })

  test("is searched by Ctrl-R: again goes further back, Esc keeps the line, Enter sends it", () => {
    const { editor, type, control, key, lines } = editorWith({ history: history() })
    control("r")
    type("shell")
    expect([editor.searchText, editor.text]).toEqual(["shell", "shell ls"])
    control("r")
    expect(editor.text).toBe("shell make")
    key("backspace")
    expect([editor.searchText, editor.text]).toEqual(["shel", "shell ls"])
    type("x")
    expect([editor.searchText, editor.text]).toEqual(["shelx", "shell ls"])
    key("escape")
    expect([editor.searchText, editor.text]).toEqual([undefined, "shell ls"])
    control("r")
    type("make")
    key("return")
    expect(lines).toEqual(["shell make"])
  })
})

describe("Tab", () => {
  const path = useTempFolder()
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  const names = (before: string) => {
    const all = ["read_file ", "read_note ", "shell "]
    return { from: 0, candidates: all.filter((name) => name.startsWith(before)) }
  }

  test("completes as far as it is clear, and lists what is possible", async () => {
    const listed: Array<ReadonlyArray<string>> = []
    const onCandidates = (candidates: ReadonlyArray<string>) => listed.push(candidates)
    const { editor, type, key } = editorWith({ complete: names, onCandidates })
    type("re")
    key("tab")
    await settled()
    expect([editor.text, listed]).toEqual(["read_", []])
    key("tab")
    await settled()
    expect([editor.text, listed]).toEqual(["read_", [["read_file ", "read_note "]]])
    type("f")
    key("tab")
    await settled()
    expect(editor.text).toBe("read_file ")
  })

  test("completes paths, with quotes where a name needs them", async () => {
    await mkdir(path("src/deep dir"), { recursive: true })
    await writeFile(path("src/index.ts"), "")
    await writeFile(path("src/.hidden"), "")
    await writeFile(path("it's.md"), "")
    const complete = (before: string) => completePath(before, path("."))
    expect(await complete("read_file s")).toEqual({ from: 10, candidates: ["src/"] })
    expect(await complete("read_file src/i")).toEqual({ from: 10, candidates: ["src/index.ts "] })
    expect(await complete("!cat src/d")).toEqual({ from: 5, candidates: ["'src/deep dir/"] })
    expect(await complete("!cat src/")).toEqual({ from: 5, candidates: ["'src/deep dir/", "src/index.ts "] })
    expect(await complete('x {"path": "src/i')).toEqual({ from: 11, candidates: ['"src/index.ts" '] })
    expect(await complete("cat src/.")).toEqual({ from: 4, candidates: ["src/.hidden "] })
    expect(await complete("cat it")).toEqual({ from: 4, candidates: ['"it\'s.md" '] })
    expect(await complete('cp "a b" s')).toEqual({ from: 9, candidates: ["src/"] })
    expect(await complete("cat nowhere/")).toEqual({ from: 4, candidates: [] })
  })

  test("does not overwrite what was typed meanwhile", async () => {
    let answer = (_candidates: ReadonlyArray<string>): void => {}
    const complete = () =>
      new Promise<{ from: number; candidates: ReadonlyArray<string> }>((resolve) => {
        answer = (candidates) => resolve({ from: 0, candidates })
      })
    const { editor, type, key } = editorWith({ complete })
    type("a")
    key("tab")
    type("b")
    answer(["alpha "])
    await settled()
    expect(editor.text).toBe("ab")
  })
})
