import { expect, it } from "vitest"
import { keyHint, keyText, rawKeyHint } from "../../../src/custom-tools/stand-ins/key-hints.ts"
import { getLanguageFromPath, getMarkdownTheme } from "../../../src/custom-tools/stand-ins/themes.ts"

it("hints at keys only where one does something", () => {
  expect(keyHint("tui.select.cancel", "cancel")).toBe("escape cancel")
  expect(keyHint("app.tools.expand", "to expand")).toBe("to expand")
  expect(keyText("constructor")).toBe("")
  expect(rawKeyHint("ctrl+x", "to cut")).toBe("ctrl+x to cut")
})

it("knows languages by extension", () => {
  expect(
    ["a/b.TS", "x.py", "x.unknown", "Makefile", "a.d/file", "x.constructor"].map(getLanguageFromPath),
  ).toEqual(["typescript", "python", undefined, undefined, undefined, undefined])
})

it("has a plain style for everything in Markdown", () => {
  for (const style of Object.values(getMarkdownTheme())) {
    if (typeof style === "function") expect((style as (text: string) => string)("x")).toBe("x")
  }
})
