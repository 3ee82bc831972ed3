/** Links between the pages: what they name is there, its heading too, and for the README in the package as well. */
import { existsSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { describe, expect, it } from "vitest"
import { type DocPage, docPages } from "../support/doc-pages.ts"
import { root } from "../support/root.ts"

const withoutCode = (text: string): string =>
  text.replace(/^```.*?^```$/gms, "").replace(/`[^`\n]*`/g, "code")

const linkPattern = /\]\(([^)\s]+)\)/g

/** The checkout's own files, at their public address. */
const published =
  /^https:\/\/(?:raw\.githubusercontent\.com\/stepline\/stepline|github\.com\/stepline\/stepline\/\w+)\/main\/([^#]+)/

/** Those to other files and headings, not those to other places. */
const linksOf = ({ text }: DocPage): ReadonlyArray<string> =>
  [...withoutCode(text).matchAll(linkPattern)].map(([, link]) => link!).filter((link) => !/^\w+:/.test(link))

/** As GitHub names headings: lower case, no punctuation, a hyphen for each blank, a number behind a name that was there. */
const anchorsOf = (text: string): ReadonlySet<string> => {
  const anchors = new Set<string>()
  for (const [, heading] of text.replace(/^```.*?^```$/gms, "").matchAll(/^#+ (.+)$/gm)) {
    const shown = heading!.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    const name = shown
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-")
    let anchor = name
    for (let count = 1; anchors.has(anchor); count++) anchor = `${name}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

const { files } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { files: Array<string> }

/** npm takes these whatever `files` says. */
const shipped = (path: string): boolean => {
  const isIn = (entry: string) => path === entry || path.startsWith(`${entry}/`)
  const leftOut = files.flatMap((entry) => (entry.startsWith("!") ? [entry.slice(1)] : []))
  return [...files, "README.md", "LICENSE", "package.json"].some(isIn) && !leftOut.some(isIn)
}

/** Pages right in `docs/` may point into the sources too, for those who change stepline. */
const mayLeave = (path: string): boolean => /^docs\/[^/]+\.md$/.test(path)

const pages = docPages()

/** What is wrong with a page's links. */
const problemsOf = (page: DocPage): ReadonlyArray<string> => [
  ...[...withoutCode(page.text).matchAll(linkPattern)]
    .flatMap(([, link]) => published.exec(link!)?.[1] ?? [])
    .filter((path) => !existsSync(join(root, path)))
    .map((path) => `there is no ${path}`),
  ...linksOf(page).flatMap((link) => {
    const [name = "", anchor] = link.split("#", 2)
    const path = name === "" ? page.path : relative(root, join(root, dirname(page.path), name))
    if (!existsSync(join(root, path))) return [`${link}: there is no ${path}`]
    if (!shipped(path) && shipped(page.path) && !mayLeave(page.path))
      return [`${link}: ${path} is not in the package`]
    if (anchor === undefined) return []
    const anchors = anchorsOf(readFileSync(join(root, path), "utf8"))
    return anchors.has(anchor) ? [] : [`${link}: ${path} has no heading #${anchor}`]
  }),
]

describe("links of the documentation", () => {
  for (const page of pages) {
    it(`of ${page.path} lead somewhere`, () => {
      expect(problemsOf(page)).toEqual([])
    })
  }

  it("are told where they are broken", () => {
    const text =
      "# One\n\n[a](#one) [b](#two) [c](nothing.md) [d](test/docs/links.test.ts) [e](https://example.org)\n" +
      "![f](https://raw.githubusercontent.com/stepline/stepline/main/docs/nothing.svg)"
    expect(problemsOf({ path: "README.md", text })).toEqual([
      "there is no docs/nothing.svg",
      "#one: README.md has no heading #one",
      "#two: README.md has no heading #two",
      "nothing.md: there is no nothing.md",
      "test/docs/links.test.ts: test/docs/links.test.ts is not in the package",
    ])
  })
})
