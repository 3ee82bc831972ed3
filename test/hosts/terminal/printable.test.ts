import { expect, test } from "vitest"
import { printable } from "../../../src/hosts/terminal/printable.ts"

test.each([
  ["colours", "\u001b[1;31mred\u001b[0m", "red"],
  ["a cursor that moves", "a\u001b[2A\u001b[10;20Hb", "ab"],
  ["a cleared screen", "\u001b[2J\u001b[3Jx", "x"],
  ["a title", "\u001b]0;I am root\u0007x", "x"],
  ["a title that ends with ST", "\u001b]2;title\u001b\\x", "x"],
  ["a link", "\u001b]8;;https://example.com\u001b\\text\u001b]8;;\u001b\\", "text"],
  ["a device control string", "\u001bP1$r0m\u001b\\x", "x"],
  ["one-byte C1 forms", "\u009b2Jx\u009d0;title\u009cy", "xy"],
  ["a reset", "\u001bcx", "x"],
  ["a charset switch", "\u001b(0x", "x"],
])("removes %s", (_name, text, expected) => {
  expect(printable(text)).toBe(expected)
})

test("a sequence without its end is text", () => {
  expect(printable("\u001b]0;never ends")).toBe("0;never ends")
  expect(printable("\u001b[")).toBe("␛[")
})

test("other control characters become visible", () => {
  expect(printable("a\u0007b\u0008c\u007fd\u0085e")).toBe("a␇b␈c␡d\ufffde")
})

test("text that turns the reading direction is shown as what it is", () => {
  expect(printable("invoice\u202egpj.exe")).toBe("invoice\ufffdgpj.exe")
})

test("tabs and newlines stay; CRLF is a newline", () => {
  expect(printable("a\tb\r\nc\n")).toBe("a\tb\nc\n")
})

test("a progress bar shows its last state", () => {
  expect(printable("10%\r50%\r100%\ndone")).toBe("100%\ndone")
})

test("colours stay for renderers that are meant to colour, and nothing else does", () => {
  expect(printable("\u001b[31mred\u001b[0m\u001b[2J\u0007", { keepColors: true })).toBe(
    "\u001b[31mred\u001b[0m␇",
  )
})

test("no control character of any text comes through", () => {
  const controls = Array.from({ length: 0xa0 }, (_, code) => String.fromCharCode(code)).join("")
  const text = controls + [...controls].reverse().join("\u001b")
  expect(printable(text)).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/)
})
