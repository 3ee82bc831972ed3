import { expect, test } from "vitest"
import { clip, columnsOf, expandTabs, wrap } from "../../../src/hosts/terminal/columns.ts"

test("wide characters take two columns, combined ones what they show", () => {
  expect(columnsOf("abc")).toBe(3)
  expect(columnsOf("日本")).toBe(4)
  expect(columnsOf("👩‍👩‍👧")).toBe(2)
  expect(columnsOf("e\u0301")).toBe(1)
})

test("clip never exceeds the width, and marks what it cut", () => {
  expect(clip("hello", 5)).toBe("hello")
  expect(clip("hello!", 5)).toBe("hell…")
  expect(clip("日本語", 6)).toBe("日本語")
  expect(clip("日本語", 5)).toBe("日本…")
  expect(clip("日本語", 4)).toBe("日…")
  expect(clip("a👩‍👩‍👧b", 3)).toBe("a…")
  expect(clip("x", 0)).toBe("")
})

test("clip cuts a line of megabytes by its beginning", () => {
  expect(clip("é".repeat(5_000_000), 10)).toBe(`${"é".repeat(9)}…`)
})

test("wrap breaks at spaces, and within words that are too long", () => {
  expect(wrap("one two three", 8)).toEqual(["one two", "three"])
  expect(wrap("abcdefghij", 4)).toEqual(["abcd", "efgh", "ij"])
  expect(wrap("日本語テキスト", 5)).toEqual(["日本", "語テ", "キス", "ト"])
  expect(wrap("", 5)).toEqual([""])
})

test("wrap loses nothing but the spaces at which it breaks", () => {
  const text = "the quick 茶色 fox jumps over thelazydogwithoutaspace and 👩‍👩‍👧 away"
  for (const width of [2, 3, 5, 9, 20, 80]) {
    const lines = wrap(text, width)
    expect(lines.join("").replaceAll(" ", "")).toBe(text.replaceAll(" ", ""))
    for (const line of lines) expect(columnsOf(line)).toBeLessThanOrEqual(width)
  }
})

test("tabs reach to the next stop", () => {
  expect(expandTabs("a\tb\tcd")).toBe("a   b   cd")
  expect(expandTabs("日\tx")).toBe("日  x")
})
