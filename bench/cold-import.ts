/** How long a fresh process takes to import the core, beside the modules of effect that the core imports. */
import { execFile } from "node:child_process"
import { readFile } from "node:fs/promises"
import { promisify } from "node:util"
import type { SectionResult } from "./figure.ts"
import { interleave } from "./measure.ts"

const run = promisify(execFile)
const importPattern = /^(?:import|export)\s(?:[^"';]*\sfrom\s)?["']([^"']+)["']/gm

/** All that a built module imports before it runs, and its relative imports do. */
const staticImports = async (entry: URL): Promise<Set<string>> => {
  const seen = new Set<string>()
  const found = new Set<string>()
  const visit = async (file: URL): Promise<void> => {
    if (seen.has(file.href)) return
    seen.add(file.href)
    for (const [, specifier] of (await readFile(file, "utf8")).matchAll(importPattern)) {
      if (specifier!.startsWith(".")) await visit(new URL(specifier!, file))
      else found.add(specifier!)
    }
  }
  await visit(entry)
  return found
}

/** Milliseconds that the imports take; the start of node itself is not counted. */
const importMillis = async (urls: ReadonlyArray<string>): Promise<number> => {
  const script = `const start = performance.now()
for (const url of ${JSON.stringify(urls)}) await import(url)
console.log(performance.now() - start)`
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", script])
  return Number(stdout)
}

export const measureColdImport = async (quick: boolean): Promise<SectionResult> => {
  const core = import.meta.resolve("stepline")
  const imports = await staticImports(new URL(core))
  const effectModules = [...imports].filter((name) => name.startsWith("effect"))
  const others = [...imports].filter((name) => !name.startsWith("effect") && !name.startsWith("node:"))
  const effectUrls = effectModules.map((name) => import.meta.resolve(name))
  const { effect, stepline } = await interleave(
    { effect: () => importMillis(effectUrls), stepline: () => importMillis([core]) },
    { warmUp: 1, counted: quick ? 3 : 9 },
  )
  return {
    title: "A fresh process",
    baseline: "effect's part",
    figures: [{ name: "import of the core", unit: "ms", stepline, baseline: effect, mostTimes: 1.3 }],
    notes: [
      `The core imports ${effectModules.join(", ")}${others.length === 0 ? "" : `; also ${others.join(", ")}`}.`,
    ],
  }
}
