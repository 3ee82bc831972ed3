import { expect, it } from "vitest"
import type { MarkdownTheme } from "../../../../src/custom-tools/stand-ins/tui/markdown.ts"
import { publishedModule } from "../published-module.ts"

const { getMarkdownTheme } = await publishedModule("@mariozechner/pi-coding-agent")

const { Markdown } = await publishedModule("@mariozechner/pi-tui")

const tag = (name: string) => (text: string) => `<${name}>${text}</${name}>`

const tagged: MarkdownTheme = {
  ...getMarkdownTheme(),
  heading: tag("h"),
  bold: tag("b"),
  italic: tag("i"),
  strikethrough: tag("s"),
  code: tag("c"),
  link: tag("a"),
  linkUrl: tag("u"),
}

const render = (text: string, width = 40, theme = getMarkdownTheme()): Array<string> =>
  new Markdown(text, 0, 0, theme).render(width)

it("joins the lines of a paragraph and wraps them", () => {
  expect(render("one two\nthree four\n\nfive", 14)).toEqual(["one two three", "four", "", "five"])
})

it("styles what is inside of a line", () => {
  expect(render("a **b *c*** `**d**` ~~e~~ _f_ snake_case_name 2 * 3 * 4", 200, tagged)).toEqual([
    "a <b>b <i>c</i></b> <c>**d**</c> <s>e</s> <i>f</i> snake_case_name 2 * 3 * 4",
  ])
  expect(render("[text](http://x) [http://y](http://y)", 200, tagged)).toEqual([
    "<a>text</a><u> (http://x)</u> <a>http://y</a>",
  ])
})

it("draws headings, rules and quotes", () => {
  expect(render("# Title\n### Sub\ntext\n---\n> quoted *so*\n> - item", 10)).toEqual([
    "Title",
    "### Sub",
    "text",
    "──────────",
    "│ quoted",
    "│ so",
    "│ - item",
  ])
  expect(render("# Title", 40, tagged)).toEqual(["<h><b>Title</b></h>"])
})

it("keeps list items apart, with hanging indents", () => {
  expect(render("- one two three\n  - four\n10. five six", 9)).toEqual([
    "- one two",
    "  three",
    "  - four",
    "10. five",
    "    six",
  ])
})

it("leaves code as it is, also code that is not closed", () => {
  expect(render("```ts\nlet a = **1**\n\n# no\n```\nafter")).toEqual([
    "```ts",
    "  let a = **1**",
    "  ",
    "  # no",
    "```",
    "after",
  ])
  expect(render("~~~\ncode")).toEqual(["```", "  code", "```"])
})

it("leaves the rows of a table on lines of their own", () => {
  expect(render("| a | b |\n|---|---|\n| 1 | 2 |")).toEqual(["| a | b |", "|---|---|", "| 1 | 2 |"])
})

it("has margins, a background and a style of its own", () => {
  const style = { color: tag("col"), bgColor: (line: string) => `<${line}>`, bold: true }
  expect(new Markdown("x", 1, 1, tagged, style).render(24)).toEqual([
    `<${" ".repeat(24)}>`,
    `<${" <b><col>x</col></b>".padEnd(24)}>`,
    `<${" ".repeat(24)}>`,
  ])
  expect(render(" \n")).toEqual([])
})
