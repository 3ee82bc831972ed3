/** `npm run docs:reference`: writes the reference of the API, and of events, from the built package. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import { dirname } from "node:path"
import { fileURLToPath } from "node:url"
import { referencePages } from "./reference.ts"

const folder = new URL("../reference/", import.meta.url)
rmSync(new URL("api", folder), { recursive: true, force: true })
for (const [path, text] of referencePages(fileURLToPath(new URL("../../dist", import.meta.url)))) {
  const file = fileURLToPath(new URL(path, folder))
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
