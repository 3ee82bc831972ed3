/** Each entry of the package, in a fresh process. */
import { execFile } from "node:child_process"
import { readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
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
