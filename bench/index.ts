/**
 * Measures what stepline costs: `npm run bench -- [--quick] [--readme] [SECTION ...]`. Each section runs in a process of its own, so
 * that the memory of one is no burden to the next. `--readme` writes the tables into the README and `docs/reference/costs.md`.
 */
import { execFile } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs, promisify } from "node:util"
import { type Measured, renderSection, withTable } from "./figure.ts"
import { pages, sections } from "./sections.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    readme: { type: "boolean", default: false },
    /** Used by the bench itself: measures one section here and prints its figures as JSON. */
    only: { type: "boolean", default: false },
  },
})
const { quick, readme, only } = values

const unknown = positionals.find((name) => !(name in sections))
if (unknown !== undefined) {
  console.error(`Unknown section ${unknown}. There are: ${Object.keys(sections).join(", ")}`)
  process.exit(2)
}

const measureInOwnProcess = async (name: string): Promise<ReadonlyArray<Measured>> => {
  const args = ["--expose-gc", fileURLToPath(import.meta.url), "--only", name, ...(quick ? ["--quick"] : [])]
  return JSON.parse((await promisify(execFile)(process.execPath, args)).stdout)
}

if (only) {
  console.log(JSON.stringify(await sections[positionals[0]!]!.measure(quick)))
} else {
  console.log(`Node ${process.version}, ${availableParallelism()} cores; medians`)
  for (const name of positionals.length > 0 ? positionals : Object.keys(sections)) {
    const section = sections[name]!
    const table = renderSection(section, await measureInOwnProcess(name))
    console.log(`\n${table}`)
    if (readme)
      for (const page of pages) await writeFile(page, withTable(await readFile(page, "utf8"), section, table))
  }
}
