/** What a tool gets for a module of its agent, by way of the loader. */
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ModuleLoader } from "../../../src/custom-tools/index.ts"

// biome-ignore lint/suspicious/noExplicitAny: what published modules export has no type here.
export type PublishedModule = Record<string, any>

const loader = new ModuleLoader({ standIns: "always" })

export const publishedModule = async (specifier: string): Promise<PublishedModule> => {
  const folder = await mkdtemp(join(tmpdir(), "stepline-published-"))
  try {
    const path = join(folder, "module.cjs")
    await writeFile(path, `exports.found = require(${JSON.stringify(specifier)})`)
    return await loader.load(path, (module) => (module as { readonly found: PublishedModule }).found)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
