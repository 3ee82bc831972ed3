/** What the site holds: the package's entries, and the pages in the order and under the headings of `docs/README.md`. */
import { readdirSync, readFileSync } from "node:fs"
import { posix } from "node:path"
import { fileURLToPath } from "node:url"

export const root = fileURLToPath(new URL("../..", import.meta.url)).replace(/\/$/, "")

const { exports, name, repository } = JSON.parse(readFileSync(`${root}/package.json`, "utf8"))

/** Where the sources are public. */
export const address = repository.url.replace(/^git\+|\.git$/g, "")

/** The entries of the package: what one imports, and the module that it is. */
export const entries = Object.entries(exports).flatMap(([key, entry]) => {
  const source = entry["@stepline/source"]
  return source === undefined ? [] : [{ import: posix.join(name, key), source: posix.normalize(source) }]
})

const contents = "docs/README.md"

const listed = readFileSync(`${root}/${contents}`, "utf8")
  .split(/^## /m)
  .slice(1)
  .flatMap((section) => {
    const [group] = section.split("\n", 1)
    const links = [...section.matchAll(/\]\(([^)#:]+\.md)\)/g)]
    return links.map(([, link]) => ({ path: posix.join("docs", link), group: group.trim() }))
  })
  .filter(({ path }) => !path.endsWith("CHANGELOG.md"))

const others = readdirSync(`${root}/docs`, { recursive: true, encoding: "utf8" })
  .map((path) => `docs/${path}`)
  .filter((path) => path.endsWith(".md") && path !== contents)
  // The site has the reference of the API itself.
  .filter((path) => !path.startsWith("docs/reference/api/"))
  .filter((path) => !listed.some((page) => page.path === path))
  .map((path) => ({ path, group: "More" }))

/** Each page, with its group in the navigation. */
export const pagesInOrder = [...listed, ...others]
