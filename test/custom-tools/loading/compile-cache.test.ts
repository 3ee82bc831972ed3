import { createHash } from "node:crypto"
import { chmod, readdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { ModuleLoader } from "../../../src/custom-tools/index.ts"
import { CompileCache } from "../../../src/custom-tools/loading/compile-cache.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { writeFiles } from "./write-files.ts"

const path = useTempFolder()
const folder = () => path("cache/stepline/compiled")

beforeEach(() => {
  vi.stubEnv("XDG_CACHE_HOME", path("cache"))
})
afterEach(() => {
  vi.unstubAllEnvs()
})

/** As a new process would. */
const load = (name = "tool.ts") => new ModuleLoader().load(path(name))

const entries = async (): Promise<Array<string>> =>
  (await readdir(folder())).map((name) => join(folder(), name))

/** Loads a module that gives "compiled", and makes its entry give "kept". */
const loadAndMark = async (): Promise<string> => {
  await writeFiles(path(), { "tool.ts": 'const text: string = "compiled"; export default text' })
  expect(await load()).toBe("compiled")
  const [entry = ""] = await entries()
  const [, body = ""] = (await readFile(entry, "utf8")).split("\n")
  const marked = body.replace("compiled", "kept")
  await writeFile(entry, `${createHash("sha256").update(marked).digest("hex")}\n${marked}`)
  return entry
}

it("compiles a module once for all processes", async () => {
  await loadAndMark()
  expect(await load()).toBe("kept")
})

it("is the user's alone", async () => {
  const entry = await loadAndMark()
  expect((await stat(folder())).mode & 0o777).toBe(0o700)
  expect((await stat(entry)).mode & 0o777).toBe(0o600)
})

it("goes by what a module holds, and by its language", async () => {
  await loadAndMark()
  const typed = 'enum Kind { Changed = "changed" }; export default Kind.Changed'
  await writeFiles(path(), { "tool.ts": typed, "tool.mjs": typed })
  expect(await load()).toBe("changed")
  await expect(load("tool.mjs")).rejects.toThrow(SyntaxError)
})

it("keeps what a module imports", async () => {
  await writeFiles(path(), {
    "tool.mjs": "globalThis.order = 1; export { default } from './other.mjs'",
    "other.mjs": "export default globalThis.order ?? 'first'",
  })
  expect([await load("tool.mjs"), await load("tool.mjs")]).toEqual(["first", 1])
  expect(await rm(path("other.mjs")).then(() => load("tool.mjs").catch(String))).toContain("other.mjs")
})

it.each([0o640, 0o602])("does not trust an entry with the mode %o", async (mode) => {
  await chmod(await loadAndMark(), mode)
  expect(await load()).toBe("compiled")
})

it("does not follow a link in place of an entry", async () => {
  const entry = await loadAndMark()
  await rename(entry, path("elsewhere"))
  await symlink(path("elsewhere"), entry)
  expect(await load()).toBe("compiled")
})

it("closes a folder that others may enter", async () => {
  await loadAndMark()
  await chmod(folder(), 0o777)
  await load()
  expect((await stat(folder())).mode & 0o777).toBe(0o700)
})

it("compiles again what is not as it was written", async () => {
  const entry = await loadAndMark()
  await writeFile(entry, (await readFile(entry, "utf8")).replace("kept", "torn"))
  expect(await load()).toBe("compiled")
  expect(await readFile(entry, "utf8")).toContain("compiled")
})

it("does without where nothing can be kept", async () => {
  vi.stubEnv("XDG_CACHE_HOME", "/dev/null")
  await writeFiles(path(), { "tool.ts": "export default 1" })
  expect(await load()).toBe(1)
})

it("removes what was not used for longest where there is too much", async () => {
  const code = "x".repeat(1000)
  const cache = (await CompileCache.open(10_000))!
  const put = (source: string) => cache.get(source, ".js", () => ({ code, isEsm: false, imports: [] }))
  put("old")
  const [old = ""] = await entries()
  for (const known of [true, false]) {
    await utimes(old, 0, 0)
    if (known) put("old")
    expect((await stat(old)).mtimeMs > 0).toBe(known)
  }
  for (let count = 0; count < 30; count += 1) put(String(count))
  await expect.poll(async () => (await entries()).length).toBeLessThan(15)
  await expect.poll(entries).not.toContain(old)
})
