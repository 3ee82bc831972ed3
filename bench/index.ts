/**
 * Measures what stepline costs: `npm run bench -- [--quick] [--json FILE] [SECTION ...]`.
 * Each section runs in a process of its own, so that the memory of one is no burden to the next.
 */
import { execFile } from "node:child_process"
import { writeFile } from "node:fs/promises"
import { availableParallelism } from "node:os"
import { fileURLToPath } from "node:url"
import { parseArgs, promisify } from "node:util"
import { measureApprovals } from "./approvals.ts"
import { measureCalls } from "./calls.ts"
import { measureColdImport } from "./cold-import.ts"
import { renderSection, type SectionResult } from "./figure.ts"
import { measureLiving } from "./living.ts"
import { measureQueue } from "./queue.ts"
import { measureShell } from "./shell.ts"

const sections: Readonly<Record<string, (quick: boolean) => Promise<SectionResult>>> = {
  calls: measureCalls,
  queue: measureQueue,
  living: measureLiving,
  approvals: measureApprovals,
  shell: measureShell,
  "cold-import": measureColdImport,
}

const measureInOwnProcess = async (section: string, quick: boolean): Promise<SectionResult> => {
  const args = [
    "--expose-gc",
    fileURLToPath(import.meta.url),
    "--only",
    section,
    ...(quick ? ["--quick"] : []),
  ]
  const { stdout } = await promisify(execFile)(process.execPath, args)
  return JSON.parse(stdout)
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    /** Used by the bench itself: measures one section here and prints it as JSON. */
    only: { type: "string" },
  },
})

const unknown = [...positionals, ...(values.only ? [values.only] : [])].find((name) => !(name in sections))
if (unknown !== undefined) {
  console.error(`Unknown section ${unknown}. There are: ${Object.keys(sections).join(", ")}`)
  process.exit(2)
}

if (values.only !== undefined) {
  console.log(JSON.stringify(await sections[values.only]!(values.quick)))
} else {
  console.log(`Node ${process.version}, ${availableParallelism()} cores; medians\n`)
  const results: Record<string, SectionResult> = {}
  for (const section of positionals.length > 0 ? positionals : Object.keys(sections)) {
    const result = await measureInOwnProcess(section, values.quick)
    results[section] = result
    console.log(`${renderSection(result)}\n`)
  }
  if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify(results, null, 2)}\n`)
}
