/**
 * Turns a module's source (TypeScript or JavaScript, ESM or CommonJS) into a function that runs it. jiti's transform
 * makes `require` calls of imports, in their order and ahead of the module's own code.
 */
import { readFileSync } from "node:fs"
import { dirname, extname } from "node:path"
import { pathToFileURL } from "node:url"
import { Script } from "node:vm"
import { createJiti, type Jiti } from "jiti"

/** What a module's code reaches the other modules by. */
export interface ModuleScope {
  readonly module: { readonly exports: unknown }
  readonly require: (specifier: string) => unknown
  readonly import: (specifier: string) => Promise<unknown>
  readonly resolve: (specifier: string) => string
}

export interface CompiledModule {
  /** Whether it is written with `import` and `export`. */
  readonly isEsm: boolean
  /** Whether it awaits at its top level: then `run` gives a promise. */
  readonly isAsync: boolean
  /** What an ES module imports, in order, with the names that it uses; those of an `import * as` are not known. */
  readonly imports: ReadonlyMap<string, ReadonlySet<string>>
  run(scope: ModuleScope): unknown
}

const moduleExtensions = [".ts", ".js", ".mjs", ".cjs", ".mts", ".cts"]

export const isModuleFile = (path: string): boolean => moduleExtensions.includes(extname(path))

/** Throws for a file that cannot be read or parsed; the message names it. */
export const compileModule = (path: string): CompiledModule => {
  if (!isModuleFile(path)) throw new Error(`${path} is no module: expected ${moduleExtensions.join(", ")}`)
  const source = readFileSync(path, "utf8")
  const isEsm = isEsmSource(path, source)
  const code = isEsm ? transform(path, source) : transformScript(path, source)
  const { isAsync, run } = compile(path, code)
  return {
    isEsm,
    isAsync,
    // CommonJS may require what is not there, and see to it.
    imports: isEsm ? importsOf(code, source) : new Map(),
    run: ({ module, require, import: load, resolve }) => {
      const { exports } = module
      const meta = { ...importMetaOf(path), resolve }
      return run.call(exports, exports, require, module, path, dirname(path), load, resolve, meta)
    },
  }
}

/** Bun's fields too: tools of oh-my-pi are written for it. */
const importMetaOf = (path: string): Readonly<Record<string, unknown>> => {
  const folder = dirname(path)
  return { url: pathToFileURL(path).href, filename: path, dirname: folder, path, dir: folder, main: false }
}

const isEsmSource = (path: string, source: string): boolean => {
  const [, kind] = extname(path)
  return kind === "m" || (kind !== "c" && /^\s*(?:import|export)\b\s*[\w{*"'$[]/m.test(source))
}

let jiti: Jiti | undefined

const transform = (filename: string, source: string): string => {
  jiti ??= createJiti(import.meta.url, { fsCache: false, moduleCache: false, debug: false })
  const isTypeScript = extname(filename).endsWith("ts")
  const code = jiti.transform({ source, filename, ts: isTypeScript, async: false, interopDefault: true })
  if (code.startsWith(failure)) throw parseError(code.slice(failure.length))
  return code.replaceAll(/\bimport\.meta\b/g, "__importMeta")
}

/** How jiti hands on what the parser says. */
const failure = "exports.__JITI_ERROR__ = "

const parseError = (json: string): SyntaxError => {
  const { filename, line, column, message } = JSON.parse(json) as Readonly<Record<string, string | number>>
  return new SyntaxError(`${filename}:${line}:${column}: ${String(message).trim()}`)
}

/** The transform makes CommonJS strict, which its author did not ask for. */
const transformScript = (path: string, source: string): string => {
  try {
    const code = transform(path, source)
    return /["']use strict["']/.test(source) ? code : code.replace(/^"use strict";/, "")
  } catch (error) {
    if (extname(path).endsWith("ts")) throw error
    // What strict code may not say, V8 accepts, or tells better what is wrong.
    return source.replace(/^#!/, "//")
  }
}

const compile = (filename: string, code: string) => {
  const evaluate = (prefix: string) =>
    new Script(
      `(${prefix}function (exports, require, module, __filename, __dirname, jitiImport, jitiESMResolve, __importMeta) {${code}\n})`,
      { filename },
    ).runInThisContext() as (...values: Array<unknown>) => unknown
  try {
    return { isAsync: false, run: evaluate("") }
  } catch {
    try {
      return { isAsync: true, run: evaluate("async ") }
    } catch (error) {
      throw new SyntaxError(`${filename}: ${(error as Error).message}`)
    }
  }
}

/** `var _id = require("x")`, with or without the transform's interop around it, or `require("x");` alone. */
const importPattern =
  /var\s+([\w$]+)\s*=\s*(?:_interopRequire\w+\(\s*)?require\(("(?:[^"\\]|\\.)*")\)|(?<=^|;)require\(("(?:[^"\\]|\\.)*")\);/gm

const importsOf = (code: string, source: string): Map<string, Set<string>> => {
  const imports = new Map<string, Set<string>>()
  const namesOf = new Map<string, Set<string>>()
  for (const [, id, named, bare] of code.matchAll(importPattern)) {
    const specifier = JSON.parse((named ?? bare)!) as string
    const names = imports.get(specifier) ?? new Set()
    imports.set(specifier, names)
    // The transform's own identifiers are unique in their file; the author's, of an `import * as`, are not.
    if (id?.startsWith("_") && !source.includes(`as ${id}`)) namesOf.set(id, names)
  }
  for (const [, id, name] of code.matchAll(/(?<![\w$.])(_[\w$]*)\.([A-Za-z_$][\w$]*)/g)) {
    namesOf.get(id!)?.add(name!)
  }
  return imports
}
