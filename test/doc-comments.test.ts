/** Whoever reads the types of the package's entry, or the core, finds on each export what it is. */
import { readdirSync, readFileSync } from "node:fs"
import { dirname, join, relative } from "node:path"
import { describe, expect, it } from "vitest"
import { root } from "./support/root.ts"

const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly exports: Readonly<Record<string, { readonly "@stepline/source"?: string }>>
}

/** Each entry of the package, and the module that it is. */
const entries = Object.entries(exports).flatMap(([entry, { "@stepline/source": source }]) =>
  source === undefined ? [] : [[entry, source] as const],
)

const declared = /^export (?:abstract )?(?:async )?(?:const|class|interface|type|function\*?|enum) (\w+)/
const reExported = /^export (?:type )?\{([^}]*)\} from "([^"]+)"/gm

/** The names that a module declares and exports, and whether a doc comment stands above each. */
const declarationsOf = (path: string): ReadonlyMap<string, boolean> => {
  const names = new Map<string, boolean>()
  let above = ""
  let last = ""
  for (const line of readFileSync(path, "utf8").split("\n")) {
    const name = declared.exec(line)?.[1]
    // Later signatures of a name that is declared already are the same export.
    if (name !== undefined && !names.has(name)) {
      // Constants right below each other may share the comment above the first.
      const shares = line.startsWith("export const") && above.startsWith("export const") && names.get(last)
      names.set(name, above.endsWith("*/") || shares === true)
      last = name
    }
    above = line
  }
  return names
}

/** Each name that a module gives on, with the module that declares it. */
function* reExportsOf(path: string): Generator<readonly [string, string], void> {
  for (const [, list = "", from = ""] of readFileSync(path, "utf8").matchAll(reExported)) {
    const target = join(dirname(path), from)
    for (const part of list.split(",")) {
      const name = part.trim().replace(/^type /, "")
      if (name === "") continue
      const inner = [...reExportsOf(target)].find(([other]) => other === name)
      yield [name, inner?.[1] ?? target]
    }
  }
}

describe("a doc comment stands above", () => {
  for (const [entry, source] of entries) {
    it(`each export of the package's entry ${entry}`, () => {
      const path = join(root, source)
      const exports = [
        ...reExportsOf(path),
        ...[...declarationsOf(path).keys()].map((name) => [name, path] as const),
      ]
      expect(exports.length).toBeGreaterThan(0)
      const missing = exports.filter(([name, path]) => declarationsOf(path).get(name) !== true)
      expect(missing.map(([name, path]) => `${relative(root, path)}: ${name}`)).toEqual([])
    })
  }

  it("each export of the core", () => {
    const core = join(root, "src/pipeline")
    const files = readdirSync(core, { recursive: true, encoding: "utf8" }).filter((file) =>
      file.endsWith(".ts"),
    )
    expect(files).toContain("executor.ts")
    const missing = files.flatMap((file) =>
      [...declarationsOf(join(core, file))].filter(([, has]) => !has).map(([name]) => `${file}: ${name}`),
    )
    expect(missing).toEqual([])
  })
})
