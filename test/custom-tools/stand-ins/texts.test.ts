import { expect, it } from "vitest"
import { publishedModule } from "./published-module.ts"

const { keyHint, getMarkdownTheme } = await publishedModule("@mariozechner/pi-coding-agent")

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
