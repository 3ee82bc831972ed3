/** What a fresh process pays: the import of the core beside the modules of effect that it imports, and the first calls. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import type { Section } from "./figure.ts"
import { median } from "./measure.ts"

const importPattern = /^(?:import|export)\s(?:[^"';]*\sfrom\s)?["']([^"']+)["']/gm

/** The modules of effect that a built module, or its relative imports, import before they run. */
const effectImports = async (file: URL, seen = new Set<string>()): Promise<Set<string>> => {
  const found = new Set<string>()
  if (seen.has(file.href)) return found
  seen.add(file.href)
  for (const [, specifier] of (await readFile(file, "utf8")).matchAll(importPattern)) {
    if (specifier!.startsWith("effect")) found.add(import.meta.resolve(specifier!))
    if (!specifier!.startsWith(".")) continue
    for (const url of await effectImports(new URL(specifier!, file), seen)) found.add(url)
  }
  return found
}

const freshProcess = async (...args: ReadonlyArray<string>): Promise<Array<number>> => {
  const script = fileURLToPath(import.meta.resolve("./fresh-process.js"))
  return JSON.parse((await promisify(execFile)(process.execPath, [script, ...args])).stdout)
}

export const coldStart: Section = {
  title: "Processor time of a fresh process",
  baseline: "effect's modules",
  rows: [
    { name: "import of the core", unit: "ms", mostMore: 12 },
    { name: "20 tools and an executor", unit: "ms" },
    { name: "the first call", unit: "ms", most: 6 },
    { name: "the first calls of all 20 tools", unit: "ms", most: 12 },
  ],
  measure: async (quick) => {
    const core = import.meta.resolve("stepline")
    const urls = await effectImports(new URL(core))
    const effect: Array<number> = []
    const laps: Array<Array<number>> = []
    for (let round = 0; round < (quick ? 2 : 10); round++) {
      const [imported] = await freshProcess(...urls)
      const measured = await freshProcess("--calls", core)
      // The first may read from the disk.
      if (round > 0) effect.push(imported!)
      if (round > 0) laps.push(measured)
    }
    const of = (pick: (lap: ReadonlyArray<number>) => number) => ({ stepline: median(laps.map(pick)) })
    return [
      { ...of(([imported]) => imported!), baseline: median(effect) },
      of(([, made]) => made!),
      of(([, , first]) => first!),
      of((lap) => lap.slice(2).reduce((sum, millis) => sum + millis)),
    ]
  },
}
