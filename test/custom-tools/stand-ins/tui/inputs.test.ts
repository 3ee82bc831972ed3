import { describe, expect, it } from "vitest"
import { visibleWidth } from "../../../../src/custom-tools/stand-ins/tui/ansi-text.ts"
import { Editor } from "../../../../src/custom-tools/stand-ins/tui/editor.ts"
import { Input } from "../../../../src/custom-tools/stand-ins/tui/input.ts"

const left = "\x1b[D"
const plain = (text: string): string => text

/** With the cursor as a bar before what it stands on. */
const shown = (line: string): string => line.replace("\x1b[7m", "|").replace("\x1b[27m", "")

describe("Input", () => {
  const typed = (...keys: Array<string>): string => {
    const input = new Input()
    for (const key of keys) input.handleInput(key)
    return shown(input.render(40)[0]!)
  }

  it("inserts where the cursor is", () => {
    expect(typed("ac", left, "b")).toBe("> ab|c")
    expect(typed("漢", "👨‍👩‍👧", left, left, "x")).toBe("> x|漢👨‍👩‍👧")
  })

  it("removes characters, words and the rest of a line", () => {
    expect(typed("ab👨‍👩‍👧", "\x7f")).toBe("> ab| ")
    expect(typed("one two", "\x17")).toBe("> one | ")
    expect(typed("one two", "\x01", "\x0b")).toBe("> | ")
    expect(typed("one two", "\x15")).toBe("> | ")
    expect(typed("abc", left, left, "\x1b[3~")).toBe("> a|c")
  })

  it("makes one line of what is pasted", () => {
    expect(typed("\x1b[200~a\nb\x1b[201~", "c")).toBe("> a bc| ")
  })

  it("shows the part around the cursor, inside the width", () => {
    const input = new Input()
    input.setValue("漢字".repeat(30))
    const [line] = input.render(11)
    expect(visibleWidth(line!)).toBeLessThanOrEqual(11)
    expect(shown(line!)).toBe("> 漢字漢字| ")
  })

  it("tells of Enter and Escape", () => {
    const events: Array<string> = []
    const input = new Input()
    input.onSubmit = (value) => events.push(value)
    input.onEscape = () => events.push("escape")
    for (const key of ["hi", "\r", "\x1b"]) input.handleInput(key)
    expect(events).toEqual(["hi", "escape"])
    expect(input.getValue()).toBe("hi")
  })

  it("marks the cursor only where it has the focus", () => {
    const input = new Input()
    expect(input.render(9)[0]).not.toContain("\x1b_pi:c\x07")
    input.focused = true
    expect(input.render(9)[0]).toContain("\x1b_pi:c\x07")
  })
})

describe("Editor", () => {
  const make = () => {
    const events: Array<string> = []
    const editor = new Editor(undefined, { borderColor: plain })
    editor.onSubmit = (text) => events.push(`submit ${text}`)
    editor.onChange = (text) => events.push(text)
    return { editor, events }
  }

  it("starts a line on Shift or Alt with Enter, and moves between lines", () => {
    const { editor } = make()
    for (const key of ["long", "\x1b[13;2u", "ab", "\x1b[A", "X", "\x1b[B", "Y"]) editor.handleInput(key)
    expect(editor.getLines()).toEqual(["loXng", "abY"])
    expect(editor.getCursor()).toEqual({ line: 1, col: 3 })
    expect(editor.render(8).map(shown)).toEqual(["────────", "loXng", "abY| ", "────────"])
  })

  it("submits its text once and is then empty", () => {
    const { editor, events } = make()
    editor.handleInput(" hi ")
    editor.handleInput("\r")
    expect(events).toEqual([" hi ", "", "submit hi"])
    expect(editor.getText()).toBe("")
  })

  it("does not submit where that is disabled", () => {
    const { editor, events } = make()
    editor.disableSubmit = true
    editor.setText("a")
    editor.handleInput("\r")
    expect(editor.getText()).toBe("a")
    expect(events).toEqual(["a"])
  })
})
