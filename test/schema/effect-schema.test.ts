// @module-tag waits
/** Schemas of Effect where what is imported and what is required are two: under tsx, and in bundles. */
import { execFile } from "node:child_process"
import { mkdtempSync, realpathSync, rmSync } from "node:fs"
import { mkdir, rm, symlink } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { build } from "esbuild"
import { afterAll, describe, expect, it } from "vitest"
import { defineTool, pipeline } from "../../src/index.ts"
import { root } from "../support/root.ts"
import { everyKind } from "./effect-schemas.ts"

const folder = mkdtempSync(join(realpathSync(tmpdir()), "stepline-schema-"))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const script = join(root, "test/schema/effect-schema-process.ts")

const runUnderTsx = () => {
  const args = ["--import", "tsx", "-C", "@stepline/source", script]
  return promisify(execFile)(process.execPath, args, { cwd: root })
}

describe("a bare schema of Effect", () => {
  it("is read and checked under tsx as anywhere", async () => {
    const { parameters } = defineTool({
      name: "show",
      description: "",
      parameters: everyKind,
      compose: () => pipeline(),
    })
    const told = JSON.parse((await runUnderTsx()).stdout)
    expect(told).toEqual({
      parameters,
      outputSchema: parameters,
      results: [
        { content: '["number",true,true,3]', structured: expect.objectContaining({ ids: ["b"] }) },
        { content: expect.stringContaining("  - count: Expected a finite number") },
        { content: expect.stringContaining("  - tree: Expected Tree") },
      ],
    })
  })

  it.each([
    ["esm", "mjs"],
    ["cjs", "cjs"],
  ] as const)("is refused in a bundle as %s with what to do", async (format, ending) => {
    const outfile = join(folder, `bundle.${ending}`)
    const contents = `
      import * as Schema from "effect/Schema"
      import { defineTool, pipeline } from "./src/index.ts"
      const tool = (parameters: object) =>
        defineTool({ name: "show", description: "", parameters, compose: () => pipeline() })
      const schema = Schema.Struct({ count: Schema.FiniteFromString })
      try {
        tool(schema)
      } catch (error) {
        console.log((error as Error).message)
      }
      console.log(JSON.stringify(tool(Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(schema))).parameters))`
    const stdin = { contents, resolveDir: root, loader: "ts" } as const
    const conditions = ["@stepline/source"]
    await build({ stdin, bundle: true, platform: "node", conditions, logLevel: "silent", format, outfile })
    const run = async () => {
      const { stdout } = await promisify(execFile)(process.execPath, [outfile])
      return stdout.trim().split("\n")
    }
    const refusal =
      "Cannot load the effect/Schema of `parameters` of tool `show`, as in a bundle. Pass `Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(schema))`"
    const wrapped = expect.stringMatching(/"count":\{"type":"string"/)
    expect(await run()).toEqual([refusal, wrapped])
    const modules = join(folder, "node_modules")
    await mkdir(modules, { recursive: true })
    await symlink(join(root, "node_modules/effect"), join(modules, "effect"))
    expect(await run()).toEqual([refusal, wrapped])
    await rm(modules, { recursive: true })
  })
})
