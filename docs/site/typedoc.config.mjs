/** The pages of `docs/` and the reference of the API as one site in `site/`, which opens from disk: `npm run docs`. */
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { address, entries, pagesInOrder, root } from "./contents.mjs"

/** The README with its pictures from disk: it names public ones, for npm. */
const readme = `${root}/.site-readme.md`
const pictures = /https:\/\/raw\.githubusercontent\.com\/[^)]+?\/(?=docs\/images\/)/g
writeFileSync(readme, readFileSync(`${root}/README.md`, "utf8").replace(pictures, ""))

/** @type {import("typedoc").TypeDocOptions} */
export default {
  name: "stepline",
  entryPoints: entries.map(({ source }) => `${root}/${source}`),
  tsconfig: `${root}/docs/site/tsconfig.json`,
  // `npm run typecheck` does that, with the compiler of today, and it is half of what a site takes.
  skipErrorChecking: true,
  out: `${root}/site`,
  readme,
  projectDocuments: pagesInOrder.map(({ path }) => `${root}/${path}`),
  plugin: [fileURLToPath(new URL("plugin.mjs", import.meta.url))],
  customCss: fileURLToPath(new URL("style.css", import.meta.url)),
  disableGit: true,
  sourceLinkTemplate: `${address}/blob/main/{path}#L{line}`,
  navigationLinks: { GitHub: address },
  navigation: { includeGroups: true },
  groupOrder: [...new Set(pagesInOrder.map(({ group }) => group)), "API", "*"],
  categorizeByGroup: false,
  sort: ["documents-first", "source-order"],
  sortEntryPoints: false,
  visibilityFilters: {},
  useFirstParagraphOfCommentAsSummary: true,
  searchInComments: true,
  searchInDocuments: true,
  // Who looks for a word wants to understand it first.
  searchGroupBoosts: { Concepts: 3, Guides: 2.5, Reference: 2 },
  includeHierarchySummary: false,
  excludeInternal: true,
  excludePrivate: true,
  excludeExternals: true,
  highlightLanguages: ["ts", "js", "json", "bash", "sh", "python", "toml", "yaml"],
  ignoredHighlightLanguages: ["mermaid", "text"],
  // Types that are not exported are told of where they are used.
  validation: { notExported: false, invalidLink: true, invalidPath: true, notDocumented: false },
  treatWarningsAsErrors: true,
}
