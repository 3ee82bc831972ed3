// @module-tag node
import { symlink } from "node:fs/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { ModuleLoader, type ModuleLoaderOptions } from "../../../src/custom-tools/index.ts"
import { foreignOwner } from "../../../src/custom-tools/loading/isolation.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { writeFiles } from "./write-files.ts"

const advice = "Raise `loadTimeout`, or leave the module out."

const path = useTempFolder()

/** Loads the first of the files. */
const load = async (files: Readonly<Record<string, string>>, options?: ModuleLoaderOptions) => {
  await writeFiles(path(), files)
  return await new ModuleLoader(options).load(path(Object.keys(files)[0]))
}

const failure = (files: Readonly<Record<string, string>>, options?: ModuleLoaderOptions) =>
  load(files, options).then(
    () => "loaded",
    (error: unknown) => (error instanceof Error ? error.message : error),
  )

/** A package that is installed in the folder. */
const installed = (name: string, files: Readonly<Record<string, string>>, json = {}) =>
  Object.fromEntries([
    [`node_modules/${name}/package.json`, JSON.stringify({ name, version: "1.0.0", ...json })],
    ...Object.entries(files).map(([file, text]) => [`node_modules/${name}/${file}`, text]),
  ]) as Record<string, string>

describe("what a module gives", () => {
  it("is its default export", async () => {
    expect(await load({ "tool.ts": "export const other = 1; const x: number = 2; export default x" })).toBe(2)
  })

  it("is the module itself where it has no default export", async () => {
    expect(await load({ "tool.mjs": "export const name = 'a'" })).toMatchObject({ name: "a" })
  })

  it.each(["tool.cjs", "tool.js"])("is what %s assigns to module.exports", async (name) => {
    expect(await load({ [name]: "module.exports = [__filename, require.main === module]" })).toEqual([
      path(name),
      false,
    ])
  })
})

describe("languages", () => {
  it("runs TypeScript with enums, decorator-free classes, generics and type-only imports", async () => {
    const text = `
      import type { Missing } from "nowhere"
      import { type AlsoMissing, onlyAType } from "nowhere-either"
      enum Color { Red = "red" }
      class Box<T> { constructor(private readonly value: T) {} get(): T { return this.value } }
      export default new Box<Color>(Color.Red).get() satisfies string as Missing & AlsoMissing & onlyAType`
    expect(await load({ "tool.ts": text })).toBe("red")
  })

  it("runs sloppy CommonJS as it is", async () => {
    const text =
      "undeclared = 1; module.exports = [undeclared, (function () { return this === undefined })()]"
    expect(await load({ "tool.cjs": text })).toEqual([1, false])
    expect(await load({ "octal.cjs": "module.exports = 010" })).toBe(8)
  })

  it("tells a module where it is", async () => {
    const text =
      "export default [import.meta.url, import.meta.dirname, import.meta.filename, import.meta.dir]"
    expect(await load({ "tool.mjs": text })).toEqual([
      new URL(`file://${path("tool.mjs")}`).href,
      path(),
      path("tool.mjs"),
      path(),
    ])
  })

  it("takes a script for one, whatever its comments and texts look like", async () => {
    const text = `
      /*
      import foo from "foo"
      */
      const text = \`
      export default 1
      \`
      if (text !== "") { module.exports = 010; return }`
    expect(await load({ "tool.js": text })).toBe(8)
  })

  it("leaves texts and comments as they are", async () => {
    const text = `
      // import.meta is "import.meta"
      export default ["see import.meta.url", \`\${1}import.meta\`, /import\\.meta/.source, import.meta.main]`
    expect(await load({ "tool.ts": text })).toEqual([
      "see import.meta.url",
      "1import.meta",
      "import\\.meta",
      false,
    ])
  })

  it("runs decorators of methods in whatever way they change these", async () => {
    const text = `
      const same = (target: object, key: string, part: PropertyDescriptor) => part
      const loud = () => (target: object, key: string, part: PropertyDescriptor) => {
        const said = part.value
        part.value = function () { return said.call(this).toUpperCase() }
      }
      class Greeter {
        constructor(private readonly name: string) {}
        @same greet() { return "hi " + this.name }
        @loud() shout() { return "hi " + this.name }
      }
      export default [new Greeter("a").greet(), new Greeter("a").shout()]`
    expect(await load({ "tool.ts": text })).toEqual(["hi a", "HI A"])
  })

  it.each([
    ["tool.ts", "class A {\n  @d x = 1\n}", "2:2: Decorators of properties are not supported"],
    [
      "tool.js",
      "class A {\n  @d m() {}\n}",
      "2:2: Support for the experimental syntax 'decorators' isn't currently enabled",
    ],
  ])("says in a sentence what it cannot run: %s %s", async (name, text, sentence) => {
    expect(await failure({ [name]: text })).toBe(`${path(name)}:${sentence}`)
  })

  it("names file and line of a syntax error", async () => {
    expect(await failure({ "tool.ts": "const a = 1\nconst = 2\n" })).toMatch(
      `${path("tool.ts")}:2:6: Unexpected`,
    )
  })

  it("refuses a file that is no module", async () => {
    expect(await failure({ "tool.py": "print(1)" })).toBe(
      `${path("tool.py")} is no module: expected .ts, .js, .mjs, .cjs, .mts, .cts`,
    )
  })

  it("names a file that is not there", async () => {
    await expect(new ModuleLoader().load(path("gone.ts"))).rejects.toThrow(
      `There is no file ${path("gone.ts")}`,
    )
  })
})

describe("imports", () => {
  it("reaches local files in either language, JSON and builtins", async () => {
    const files = {
      "tool.ts": `
        import data from "./data.json" with { type: "json" }
        import { join } from "node:path"
        import * as fs from "fs"
        import script from "./script.cjs"
        import { written } from "./lib/written.js"
        import lib from "./lib"
        export * from "./lib/written"
        export default [data.a, join("x", "y"), typeof fs.readFileSync, script.b, written, lib]`,
      "data.json": `{ "a": 1 }`,
      "script.cjs": "exports.b = require('./data.json').a + 1",
      "lib/written.ts": "export const written: number = 3",
      "lib/index.ts": "export default 4",
    }
    expect(await load(files)).toEqual([1, "x/y", "function", 2, 3, 4])
  })

  it("reaches texts as what they say, and runs no other file as a module", async () => {
    const files = {
      "tool.ts":
        "import a from './a.md'; import b from './b.txt' with { type: 'text' }; export default [a, b]",
      "a.md": "throw 1",
      "b.txt": "text",
      "page.mjs": "import './page.html'",
      "page.html": "globalThis.ranPage = true",
    }
    expect(await load(files)).toEqual(["throw 1", "text"])
    await expect(new ModuleLoader().load(path("page.mjs"))).rejects.toThrow(
      `${path("page.html")} is no module: expected .ts, .js, .mjs, .cjs, .mts, .cts`,
    )
    expect(globalThis).not.toHaveProperty("ranPage")
  })

  it("reads files with a mark of their byte order, as some editors write them", async () => {
    const mark = "\uFEFF"
    const tool = `${mark}#!/usr/bin/env node\nimport data from './data.json'; export default data.a`
    expect(await load({ "tool.mjs": tool, "data.json": `${mark}{ "a": 1 }` })).toBe(1)
  })

  it("takes nothing for an import that only looks like one", async () => {
    const text = `
      // var a = require("missing-a");
      const b = \`
      require("missing-b");
      \`
      let c: unknown
      try { c = require("missing-c") } catch (error) { c = (error as { code: string }).code }
      export default c`
    expect(await load({ "tool.ts": text })).toBe("MODULE_NOT_FOUND")
  })

  it("imports no module for its types alone", async () => {
    const text = `
      export type { A } from "missing-a"
      export { type B } from "missing-b"
      export type * from "missing-c"
      export default 1`
    expect(await load({ "tool.ts": text })).toBe(1)
  })

  it("reaches packages that are installed beside it, by the condition of its kind", async () => {
    const files = {
      "tool.mjs":
        "import esm, { a } from 'esm'; import { kind } from 'dual'; import cjs from 'cjs'; import tla from 'tla'; export default [esm, a, kind, cjs, tla]",
      ...installed(
        "esm",
        { "i.js": "export default 1; export const a = 2" },
        { type: "module", exports: "./i.js" },
      ),
      ...installed(
        "dual",
        { "i.mjs": "export const kind = 'esm'", "i.cjs": "exports.kind = 'cjs'" },
        { exports: { import: "./i.mjs", require: "./i.cjs" } },
      ),
      ...installed("cjs", { "index.js": "module.exports = 3" }),
      ...installed("tla", { "i.js": "export default await 4" }, { type: "module", exports: "./i.js" }),
      "tool.cjs": "module.exports = require('dual').kind",
    }
    expect(await load(files)).toEqual([1, 2, "esm", 3, 4])
    expect(await new ModuleLoader().load(path("tool.cjs"))).toBe("cjs")
  })

  it("finds no package of its own installation for the module", async () => {
    expect(await failure({ "tool.ts": `import Ajv from "ajv"\nexport default Ajv` })).toBe(
      `Cannot find module "ajv", which ${path("tool.ts")} imports`,
    )
  })

  it("runs nothing where something is missing further down", async () => {
    const files = {
      "tool.mjs": "import './first.mjs'; import './second.mjs'; export default 1",
      "first.mjs": "globalThis.ranFirst = true",
      "second.mjs": "import x from 'not-there'; export default x",
    }
    expect(await failure(files)).toBe(`Cannot find module "not-there", which ${path("second.mjs")} imports`)
    expect(globalThis).not.toHaveProperty("ranFirst")
  })

  it("lets CommonJS see to what is missing", async () => {
    const text = "try { var x = require('not-there') } catch (error) { x = error.code } module.exports = x"
    expect(await load({ "tool.cjs": text })).toBe("MODULE_NOT_FOUND")
  })

  it("survives a cycle", async () => {
    const files = {
      "tool.mjs": "import { b } from './b.mjs'; export const a = () => 'a'; export default b()",
      "b.mjs": "import { a } from './tool.mjs'; export const b = () => a() + 'b'",
    }
    expect(await load(files)).toBe("ab")
  })

  it("imports later, by name or from a package", async () => {
    const files = {
      "tool.ts":
        "export default async (name: string) => [(await import('./later')).default, (await import(name)).sep]",
      "later.ts": "export default await 5",
    }
    const later = (await load(files)) as (name: string) => Promise<unknown>
    expect(await later("node:path")).toEqual([5, "/"])
  })

  it("takes a linked module for the file that it is", async () => {
    await writeFiles(path(), {
      "real/tool.ts": "export { default } from './part'",
      "real/part.ts": "export default 7",
    })
    await symlink(path("real/tool.ts"), path("tool.ts"))
    expect(await new ModuleLoader().load(path("tool.ts"))).toBe(7)
  })
})

describe("createRequire", () => {
  it.each(["node:module", "module"])("of %s is answered like an import", async (name) => {
    const files = {
      "tool.ts": `
        import { createRequire, isBuiltin } from "${name}"
        const require = createRequire(import.meta.url)
        const { StringEnum } = require("@mariozechner/pi-ai")
        export default [StringEnum(["a"]).enum, require("./part").value, require("node:path").sep, isBuiltin("fs")]`,
      "part.ts": "export const value: number = 3",
    }
    expect(await load(files)).toEqual([["a"], 3, "/", true])
  })

  it("starts where it is told to, and says what is not there", async () => {
    const files = {
      "tool.mjs":
        "import Module from 'node:module'; import { join } from 'node:path'; const require = Module.createRequire(join(import.meta.dirname, 'sub', 'x.js')); export default [require('./part.cjs'), require.resolve('node:fs')]",
      "sub/part.cjs": "module.exports = 1",
    }
    expect(await load(files)).toEqual([1, "node:fs"])
    const text = "require('node:module').createRequire(__filename)('not-there')"
    expect(await failure({ "tool.cjs": text })).toBe(
      `Cannot find module "not-there", which ${path("tool.cjs")} imports`,
    )
  })
})

describe("a module that this Node lacks", () => {
  const lacking = (name: string, advice = "") =>
    `Node ${process.versions.node} has no "${name}", which ${path("tool.mjs")} imports${advice}`

  it.runIf(Number(process.versions.node.split(".")[0]) < 22)(
    "is told apart from a missing package",
    async () => {
      expect(
        await failure({
          "tool.mjs": "import { DatabaseSync } from 'node:sqlite'; export default DatabaseSync",
        }),
      ).toBe(lacking("node:sqlite", ": run on Node 22.13 or newer"))
    },
  )

  it.each(["import 'node:not-there'", "await import('node:not-there')"])("is named by %s", async (text) => {
    expect(await failure({ "tool.mjs": text })).toBe(lacking("node:not-there"))
  })

  it("may be seen to by the tool", async () => {
    const text = "export default await import('node:not-there').catch((error) => error.code)"
    expect(await load({ "tool.mjs": text })).toBe("ERR_UNKNOWN_BUILTIN_MODULE")
  })

  it("is named when an installed package imports it", async () => {
    const files = {
      "tool.mjs": "import 'needs'",
      ...installed("needs", { "index.js": "require('node:not-there')" }),
    }
    expect(await failure(files)).toBe(
      `Node ${process.versions.node} has no "node:not-there", which ${path("node_modules/needs/index.js")} imports`,
    )
  })
})

describe("top-level await", () => {
  it("is waited for, in the module and in what it imports, and no body runs twice", async () => {
    const note = (name: string) => `(globalThis.order ??= []).push("${name}")\n`
    const files = {
      "tool.ts": `import "./first"; import { value } from "./slow"; import "./last"; ${note("tool")} export default value + (await 1)`,
      "first.ts": note("first"),
      "slow.ts": `import "./first"; ${note("slow")} await new Promise((go) => setImmediate(go)); ${note("slow again")} export const value = 1`,
      "last.ts": note("last"),
    }
    expect(await load(files)).toBe(2)
    expect(Reflect.get(globalThis, "order")).toEqual(["first", "slow", "slow again", "last", "tool"])
    Reflect.deleteProperty(globalThis, "order")
  })

  it("is not for require", async () => {
    const files = { "tool.cjs": "require('./slow.mjs')", "slow.mjs": "await 1" }
    expect(await failure(files)).toBe(
      `${path("tool.cjs")} cannot require "./slow.mjs", which awaits at its top level: import it`,
    )
  })

  it("rejects with what is thrown after it", async () => {
    expect(await failure({ "tool.mjs": "await 1; throw new Error('late')" })).toBe("late")
  })
})

describe("failing modules", () => {
  it("run once, and fail all that import them in the same way", async () => {
    const files = {
      "one.mjs": "import './bad.cjs'",
      "two.mjs": "import './bad.cjs'",
      "bad.cjs": "globalThis.runs = (globalThis.runs ?? 0) + 1; throw new Error('boom')",
    }
    await writeFiles(path(), files)
    const loader = new ModuleLoader()
    await expect(loader.load(path("one.mjs"))).rejects.toThrow("boom")
    await expect(loader.load(path("two.mjs"))).rejects.toThrow("boom")
    expect(Reflect.get(globalThis, "runs")).toBe(1)
    Reflect.deleteProperty(globalThis, "runs")
  })

  it.each([
    ["tool.mjs", "while (true) {}"],
    ["tool.cjs", "while (true) {}"],
    ["tool.ts", "import './spin'"],
    ["tool.mjs", "await new Promise(() => undefined)"],
  ])("are stopped where they never end: %s %s", async (name, text) => {
    expect(await failure({ [name]: text, "spin.ts": "for (;;) {}" }, { loadTimeout: 100 })).toBe(
      `${path(name)} did not finish loading within 100 ms. ${advice}`,
    )
  })

  it("stay failed after a watchdog ended them", async () => {
    await writeFiles(path(), {
      "tool.mjs": "import './spin.mjs'; export default 1",
      "spin.mjs": "for (;;) {}",
    })
    const loader = new ModuleLoader({ loadTimeout: 100 })
    const message = `${path("tool.mjs")} did not finish loading within 100 ms. ${advice}`
    await expect(loader.load(path("tool.mjs"))).rejects.toThrow(message)
    await expect(loader.load(path("tool.mjs"))).rejects.toThrow(message)
  })

  it("cannot end the process", async () => {
    expect(await failure({ "tool.mjs": "process.exit(3)" })).toBe(
      `${path("tool.mjs")} called process.exit, which would end the program that runs it`,
    )
  })

  it.each([
    [
      "ends the process",
      "process.exit(3)",
      {},
      "called process.exit, which would end the program that runs it",
    ],
    ["never ends", "for (;;);", { loadTimeout: 100 }, `did not finish loading within 100 ms. ${advice}`],
  ])("may have a default export that %s when it is read", async (_what, code, options, sentence) => {
    const text = `module.exports = { get default() { ${code} } }`
    expect(await failure({ "tool.cjs": text }, options)).toBe(`${path("tool.cjs")} ${sentence}`)
  })

  it("are told of by the logger, where they fail when nobody waits for them any more", async () => {
    const text = "export default 1; setImmediate(() => { throw new Error('late') })"
    const warning = new Promise<string>((warn) => {
      const ignore = () => undefined
      const logger = { warn, error: ignore, info: ignore, debug: ignore }
      load({ "tool.mjs": text }, { logger }).catch(warn)
    })
    expect(await warning).toBe(`${path("tool.mjs")} left a failure to nobody: late`)
  })

  it("show nothing in loops over other objects that they add to all of them", async () => {
    const warnings: Array<string> = []
    const ignore = () => undefined
    const logger = { warn: (text: string) => warnings.push(text), error: ignore, info: ignore, debug: ignore }
    onTestFinished(() => {
      for (const prototype of [Object.prototype, Array.prototype]) Reflect.deleteProperty(prototype, "added")
    })
    const text = "Object.prototype.added = {}; Array.prototype.added = () => 1; export default ({}).added"
    expect(await load({ "tool.mjs": text }, { logger })).toEqual({})
    const seen: Array<string> = []
    for (const key in {}) seen.push(key)
    for (const key in []) seen.push(key)
    expect(seen).toEqual([])
    expect(warnings).toEqual([`${path("tool.mjs")} added to what all objects share: added, added`])
  })

  it("find the standard input at its end", async () => {
    const text = `
      import { readFileSync } from "node:fs"
      const chunks = []
      for await (const chunk of process.stdin) chunks.push(chunk)
      export default [chunks, readFileSync(0, "utf8")]`
    expect(await load({ "tool.mjs": text })).toEqual([[], ""])
  })
})

describe("call", () => {
  const loader = new ModuleLoader()
  const hasty = new ModuleLoader({ loadTimeout: 100 })

  it("gives what the code gives", async () => {
    expect(await loader.call("/a.ts", () => 1)).toBe(1)
    expect(await loader.call("/a.ts", async () => 2)).toBe(2)
  })

  it("bounds code that spins and code that never settles", async () => {
    const message = `/a.ts did not finish loading within 100 ms. ${advice}`
    await expect(hasty.call("/a.ts", () => new Promise(() => undefined))).rejects.toThrow(message)
    const spin = (): void => {
      for (;;);
    }
    await expect(hasty.call("/a.ts", spin)).rejects.toThrow(message)
  })

  it("reads what the code gives under the same bound", async () => {
    const spin = (): never => {
      for (;;);
    }
    await expect(hasty.call("/a.ts", async () => 1, spin)).rejects.toThrow("within 100 ms")
    expect(await loader.call("/a.ts", async () => 1, foreignOwner)).toBe("/a.ts")
  })

  it("refuses a bound that is none", () => {
    expect(() => new ModuleLoader({ loadTimeout: 0 })).toThrow(
      "Expected `loadTimeout` to be a positive number of milliseconds, got `0` (number)",
    )
  })
})

describe("stand-ins", () => {
  const tool = {
    "tool.ts": `import { StringEnum } from "@mariozechner/pi-ai"\nexport default StringEnum(["a"])`,
  }
  const real = installed("@mariozechner/pi-ai", { "index.js": "exports.StringEnum = () => 'real'" })

  it("answer where the package is not installed", async () => {
    expect(await load(tool)).toMatchObject({ type: "string", enum: ["a"] })
  })

  it("leave an installed package alone", async () => {
    expect(await load({ ...tool, ...real })).toBe("real")
  })

  it("answer for a package that Node cannot run", async () => {
    const published = installed(
      "@mariozechner/pi-ai",
      { "index.ts": "export default 1" },
      { exports: "./index.ts" },
    )
    expect(await load({ ...tool, ...published })).toMatchObject({ type: "string" })
  })

  it("answer for a package that lacks what it depends on", async () => {
    const torn = installed("@mariozechner/pi-ai", { "index.js": "require('not-there')" })
    expect(await load({ ...tool, ...torn })).toMatchObject({ type: "string" })
  })

  it("answer packages that depend on an agent's", async () => {
    const files = {
      "tool.ts": "import { kinds } from 'between'; export default kinds",
      ...installed(
        "between",
        {
          "i.js":
            "import { StringEnum } from '@earendil-works/pi-ai'; export const kinds = StringEnum(['a']).enum",
        },
        { type: "module", exports: "./i.js", peerDependencies: { "@earendil-works/pi-ai": "*" } },
      ),
    }
    expect(await load(files)).toEqual(["a"])
  })

  it("answer in any case with always", async () => {
    expect(await load({ ...tool, ...real }, { standIns: "always" })).toMatchObject({ type: "string" })
  })

  it("answer never with never", async () => {
    expect(await failure(tool, { standIns: "never" })).toBe(
      `Cannot find module "@mariozechner/pi-ai", which ${path("tool.ts")} imports`,
    )
  })

  const needs = "NotThere() needs an agent of its own; install @mariozechner/pi-coding-agent beside the tool."

  it.each([
    [
      "tool.ts",
      "import { Text } from '@mariozechner/pi-tui'; import { NotThere } from '@mariozechner/pi-coding-agent'; export default () => [Text, NotThere()]",
    ],
    ["tool.mjs", "export { NotThere as default } from '@mariozechner/pi-coding-agent'"],
    ["tool.ts", "import * as pi from '@mariozechner/pi-coding-agent'; export default () => pi.NotThere()"],
    ["tool.cjs", "const pi = require('@mariozechner/pi-coding-agent'); module.exports = () => pi.NotThere()"],
    ["tool.mjs", "export default async () => (await import('@mariozechner/pi-coding-agent')).NotThere()"],
  ])("have any name, which tells what it needs when it is used: %s %s", async (name, text) => {
    const use = (await load({ [name]: text })) as () => unknown
    await expect((async () => use())()).rejects.toThrow(needs)
  })

  it("say which names are theirs", async () => {
    const text =
      "import * as pi from '@mariozechner/pi-coding-agent'; export default ['keyHint' in pi, 'NotThere' in pi, pi.default, pi.then, JSON.stringify(pi).length > 2]"
    expect(await load({ "tool.ts": text })).toEqual([true, false, undefined, undefined, true])
  })

  it("do not mind a name of which only the type is used", async () => {
    const text = "import { NotThere } from '@mariozechner/pi-tui'; export default 1 as unknown as NotThere"
    expect(await load({ "tool.ts": text })).toBe(1)
  })

  it("answer every specifier that published tools import", async () => {
    const packages = ["pi-coding-agent", "pi-ai", "pi-tui", "pi-agent-core"]
    const scoped = ["@mariozechner", "@earendil-works", "@oh-my-pi"].flatMap((scope) =>
      packages.map((name) => `${scope}/${name}`),
    )
    const typebox = ["typebox", "@sinclair/typebox"].flatMap((name) => [
      name,
      `${name}/value`,
      `${name}/compile`,
    ])
    for (const specifier of [...scoped, ...typebox]) {
      await writeFiles(path(), {
        "tool.mjs": `import * as all from "${specifier}"; export default Object.keys(all).length > 0`,
      })
      expect([specifier, await new ModuleLoader().load(path("tool.mjs"))]).toEqual([specifier, true])
    }
  })
})

describe("typebox", () => {
  const text = `
    import * as own from "typebox"
    import { Compile } from "@sinclair/typebox/compile"
    import Schema from "typebox/schema"
    import { Value } from "typebox/value"
    const schema = own.Type?.Script("{ n: number }")
    export default schema === undefined ? own.mine : [Compile(schema).Check({ n: 1 }), Value.Check(schema, {}), typeof Schema]`

  it.each(["auto", "always"] as const)(
    "is version 1 beside stepline for modules without it: %s",
    async (standIns) => {
      expect(await load({ "tool.ts": text }, { standIns })).toEqual([true, false, "object"])
    },
  )

  it("is not checked beside stepline, as a part of the host", async () => {
    const checked: Array<string> = []
    await load({ "tool.ts": text }, { check: (file) => checked.push(file) })
    expect(checked).toEqual([path("tool.ts")])
  })

  it("is the module's own copy where it has one", async () => {
    const copy = installed("typebox", { "index.js": "exports.mine = 'own'" }, { main: "index.js" })
    expect(await load({ "tool.ts": text, ...copy })).toBe("own")
  })

  it("is not found without stand-ins", async () => {
    expect(await failure({ "tool.ts": text }, { standIns: "never" })).toBe(
      `Cannot find module "typebox", which ${path("tool.ts")} imports`,
    )
  })
})
