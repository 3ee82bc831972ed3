// @module-tag waits
// @module-tag node
/** Each entry of the package, in a fresh process. */
import { execFile } from "node:child_process"
import { readdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { pathToFileURL } from "node:url"
import { promisify } from "node:util"
import { expect, it, onTestFinished } from "vitest"
import { builtPackage } from "../support/built-package.ts"
import { root } from "../support/root.ts"
import { makeConsumer } from "./consumer.ts"

const run = promisify(execFile)

const { exports } = JSON.parse(await readFile(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, string | { readonly default: string }>>
}
const entries = Object.values(exports).flatMap((entry) => (typeof entry === "string" ? [] : [entry.default]))

// Such a program has a `__filename`, which is no file's name.
it.each(entries)("%s is imported by what `node --eval` runs", async (entry) => {
  const url = pathToFileURL(join(await builtPackage(), entry)).href
  const program = `import(${JSON.stringify(url)}).then((names) => console.log(Object.keys(names).length > 0))`
  expect((await run(process.execPath, ["--eval", program])).stdout).toBe("true\n")
})

/** The files of the package that one of them imports by name when it is loaded. */
const importsOf = async (file: string): Promise<Array<string>> => {
  const code = await readFile(file, "utf8")
  const imports = code.matchAll(/^(?:import|export)\b[^"']*["'](\.[^"']+)["']/gm)
  return [...imports].map(([, name]) => join(dirname(file), name!))
}

/** A file, and all that are loaded with it. */
const loadedWith = async (file: string, loaded = new Set<string>()): Promise<Set<string>> => {
  if (loaded.has(file)) return loaded
  loaded.add(file)
  for (const imported of await importsOf(file)) await loadedWith(imported, loaded)
  return loaded
}

// Node 20 throws where `require` comes upon a file that is being imported: what is denied would be asked.
it("what decides on command lines needs no file that others may be loading", async () => {
  const folder = join(await builtPackage(), "dist")
  const policy = await loadedWith(join(folder, "policy/index.js"))
  const needed = await loadedWith(join(folder, "policy/commands.js"))
  const itsOwn = new Set([...needed].filter((file) => !policy.has(file)))
  expect(itsOwn.size).toBeLessThan(needed.size)
  const files = (await readdir(folder, { recursive: true })).filter((path) => path.endsWith(".js"))
  // Node never loads what bundles have in the place of it.
  const others = files.filter((path) => path !== join("policy", "bundled-commands.js"))
  for (const file of others.map((path) => join(folder, path)).filter((path) => !itsOwn.has(path))) {
    const shared = (await importsOf(file)).filter((imported) => itsOwn.has(imported))
    expect(shared, file).toEqual([])
  }
})

it("rules are read without effect", async () => {
  const { folder, remove } = await makeConsumer({ runs: true })
  onTestFinished(remove)
  await rm(join(folder, "node_modules/effect"))
  const main = join(folder, "main.js")
  const source = `
    import { ToolFilters } from "stepline/policy"
    const filters = ToolFilters.compile({ shell: { allow: ["^ls\\\\b"] } })
    const shell = { name: "shell", primaryParam: "command", primaryKind: "command" }
    console.log(filters.evaluate(shell, { command: "ls -l" }))`
  await writeFile(main, source)
  expect((await run(process.execPath, [main])).stdout).toBe("approve\n")
})

it("brings the licences of what is part of its files", async () => {
  const folder = join(await builtPackage(), "dist/licences")
  const names = await readdir(folder)
  expect(names).toEqual(["@sinclair-typebox.txt", "preact.txt"])
  for (const name of names) expect(await readFile(join(folder, name), "utf8")).toContain("MIT License")
})
