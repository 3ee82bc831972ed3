import { expect, it } from "vitest"
import { keyHint } from "../../../src/custom-tools/stand-ins/key-hints.ts"
import { getMarkdownTheme } from "../../../src/custom-tools/stand-ins/themes.ts"

it("hints at keys only where one does something", () => {
  expect(keyHint("tui.select.cancel", "cancel")).toBe("escape cancel")
  expect(keyHint("app.tools.expand", "to expand")).toBe("to expand")
  expect(keyHint("constructor", "to make")).toBe("to make")
})

it("has a plain style for everything in Markdown", () => {
  for (const style of Object.values(getMarkdownTheme())) {
    if (typeof style === "function") expect((style as (text: string) => string)("x")).toBe("x")
  }
})
