/** The pages of the documentation: the README, the changelog, those of the examples, and what lies in `docs/`. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "./root.ts"

/** One page. `path` is relative to the checkout. */
export interface DocPage {
  readonly path: string
  readonly text: string
}

export const docPages = (): ReadonlyArray<DocPage> => {
  const docs = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
  const paths = [
    "README.md",
    "CHANGELOG.md",
    "examples/README.md",
    ...docs
      .filter((path) => path.endsWith(".md"))
      .sort()
      .map((path) => `docs/${path}`),
  ]
  return paths.map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }))
}

/** A block of TypeScript, and what it prints where a block of text behind it says so. */
export interface CodeBlock {
  readonly code: string
  /** `no-run`: it is checked and not run. */
  readonly runs: boolean
  readonly prints: string | undefined
}

const blockPattern = /^```ts( no-run)?\n(.*?)\n```\n(?:\n```text\n(.*?)\n```\n)?/gms

export const codeBlocksOf = (page: DocPage): ReadonlyArray<CodeBlock> =>
  [...page.text.matchAll(blockPattern)].map(([, noRun, code, prints]) => ({
    code: code!,
    runs: noRun === undefined,
    prints,
  }))
