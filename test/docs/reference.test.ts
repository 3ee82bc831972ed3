// @module-tag waits
/** The generated reference of the API, and of the fields of events, is what the types say. */
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { expect, it } from "vitest"
import { referencePages } from "../../docs/site/reference.ts"
import { builtPackage } from "../support/built-package.ts"
import { root } from "../support/root.ts"

const folder = join(root, "docs/reference")

it("docs/reference is what the types say; else run `npm run docs:reference`", {
  timeout: 600_000,
}, async () => {
  const pages = referencePages(join(await builtPackage(), "dist"))
  expect([...pages.keys()].sort()).toEqual(
    [...readdirSync(join(folder, "api")).map((name) => `api/${name}`), "fields.md"].sort(),
  )
  const outdated = [...pages].filter(([path, text]) => readFileSync(join(folder, path), "utf8") !== text)
  expect(outdated.map(([path]) => path)).toEqual([])
})
