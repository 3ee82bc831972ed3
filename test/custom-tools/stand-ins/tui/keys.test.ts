import { describe, expect, it } from "vitest"
import { Key } from "../../../../src/custom-tools/stand-ins/tui/key-names.ts"
import {
  isKeyRelease,
  matchesKey,
  parseKey,
  typedText,
} from "../../../../src/custom-tools/stand-ins/tui/keys.ts"

describe("parseKey", () => {
  it.each([
    ["\x1b[A", "up"],
    ["\x1bOB", "down"],
    ["\x1b[1;5C", "ctrl+right"],
    ["\x1b[1;2:1D", "shift+left"],
    ["\x1b[H", "home"],
    ["\x1b[4~", "end"],
    ["\x1b[3;5~", "ctrl+delete"],
    ["\x1b[5~", "pageUp"],
    ["\x1bOP", "f1"],
    ["\x1b[24~", "f12"],
    ["\x1b[Z", "shift+tab"],
    ["\x1b[7$", "shift+home"],
    ["\x1bOa", "ctrl+up"],
    ["\x1b", "escape"],
    ["\r", "enter"],
    ["\n", "enter"],
    ["\t", "tab"],
    [" ", "space"],
    ["\x7f", "backspace"],
    ["\x03", "ctrl+c"],
    ["\x00", "ctrl+space"],
    ["\x1b\r", "alt+enter"],
    ["\x1bx", "alt+x"],
    ["\x1b\x01", "ctrl+alt+a"],
    ["\x1bf", "alt+right"],
    ["a", "a"],
    ["A", "A"],
    ["?", "?"],
    ["\x1b[97;5u", "ctrl+a"],
    ["\x1b[112;6u", "shift+ctrl+p"],
    ["\x1b[13;2u", "shift+enter"],
    ["\x1b[57417u", "left"],
    ["\x1b[107;9u", "super+k"],
    ["\x1b[97;69u", "ctrl+a"],
    ["\x1b[27;5;105~", "ctrl+i"],
    ["\x1b[99999999u", undefined],
    ["\x1b[38;5;1m", undefined],
    ["hello", undefined],
    ["", undefined],
  ])("takes %j for %s", (data, id) => {
    expect(parseKey(data)).toBe(id)
  })
})

describe("matchesKey", () => {
  it("does not mind the order of modifiers, case or second names", () => {
    expect(matchesKey("\x1b[112;6u", "ctrl+shift+p")).toBe(true)
    expect(matchesKey("\x1b[112;6u", "Shift+Ctrl+P")).toBe(true)
    expect(matchesKey("\x1b[112;6u", "ctrl+p")).toBe(false)
    expect(matchesKey("\r", "return")).toBe(true)
    expect(matchesKey("\x1b[5~", "pageup")).toBe(true)
  })

  it("tells letters from capitals", () => {
    expect([
      matchesKey("a", "a"),
      matchesKey("A", "a"),
      matchesKey("A", "shift+a"),
      matchesKey("A", "A"),
    ]).toEqual([true, false, true, true])
  })

  it("knows what terminals cannot tell apart", () => {
    expect(matchesKey("\t", "ctrl+i")).toBe(true)
    expect(matchesKey("\r", "ctrl+m")).toBe(true)
    expect(matchesKey("\x1b", "ctrl+[")).toBe(true)
  })

  it("reads the plus key", () => {
    expect(matchesKey("+", "+")).toBe(true)
    expect(matchesKey("\x1b[43;5u", "ctrl++")).toBe(true)
  })

  it("goes with the names of Key", () => {
    const { ctrl, ctrlShift, shiftCtrl, ctrlShiftAlt } = Key as Record<string, (key: string) => string>
    expect([Key.up, Key.pageDown, Key.comma, ctrl!("c"), ctrlShift!("p"), ctrlShiftAlt!("x")]).toEqual([
      "up",
      "pageDown",
      ",",
      "ctrl+c",
      "ctrl+shift+p",
      "ctrl+shift+alt+x",
    ])
    expect(matchesKey("\x1b[112;6u", shiftCtrl!("p"))).toBe(true)
  })
})

it("tells releases from presses and repeats", () => {
  const events = ["\x1b[97;1:1u", "\x1b[97;1:2u", "\x1b[97;1:3u", "\x1b[1;1:3A", "\x1b[200~90:62:3F\x1b[201~"]
  expect(events.map(isKeyRelease)).toEqual([false, false, true, true, false])
})

it("gives the text that is typed or pasted, and none for other keys", () => {
  expect(
    [
      "a",
      "漢",
      "\x1b[200~one\r\ntwo\x1b[201~",
      "\x1b[97u",
      "\x1b[97:65;2u",
      "\x1b[97;5u",
      "\x1b[A",
      "\x03",
    ].map(typedText),
  ).toEqual(["a", "漢", "one\ntwo", "a", "A", undefined, undefined, undefined])
})
