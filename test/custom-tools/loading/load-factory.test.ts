// @module-tag node
import { describe, expect, it } from "vitest"
import { ModuleLoader, type ModuleLoaderOptions } from "../../../src/custom-tools/index.ts"
import { foreignOwner } from "../../../src/custom-tools/loading/isolation.ts"
import { loadFactory, loadFailure } from "../../../src/custom-tools/loading/load-factory.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { writeFiles } from "./write-files.ts"

const path = useTempFolder()

const tool = `{ name: "a", description: "d", parameters: {}, execute: () => undefined }`

/** What a factory with this body returns. */
const returned = async (body: string, options?: ModuleLoaderOptions) => {
  await writeFiles(path(), { "tool.mjs": `export default (api) => { ${body} }` })
  const factory = await loadFactory(new ModuleLoader(options), path("tool.mjs"))
  return await factory!({})
}

describe("a factory", () => {
  it("gives what was returned as a list, where there is anything", async () => {
    const a = expect.objectContaining({ name: "a" })
    expect(await returned(`return ${tool}`)).toEqual([a])
    expect(await returned(`return Promise.resolve([${tool}, 5])`)).toEqual([a, undefined])
    expect(await returned("return null")).toBeUndefined()
  })

  it.each([
    ["a list", "new Proxy([], { get: () => process.exit(3) })"],
    ["what can be waited for", "{ get then() { process.exit(3) } }"],
  ])("cannot end the process by %s that it returns", async (_what, value) => {
    await expect(returned(`return ${value}`)).rejects.toThrow("tool.mjs called process.exit")
  })

  it("cannot end the process by a tool that it returns", async () => {
    expect(await returned(`return { ...${tool}, get label() { process.exit(3) } }`)).toEqual([undefined])
  })

  it("cannot hold the host by a tool that it returns", async () => {
    const spinning = returned("return { get name() { for (;;); } }", { loadTimeout: 200 })
    await expect(spinning).rejects.toThrow("within 200 ms")
  })
})

it("what a module threw is read as foreign code", () => {
  const error = {
    get message() {
      return foreignOwner()
    },
  }
  expect(loadFailure("/tool.ts", error)).toBe("Failed to load tool: /tool.ts")
})
