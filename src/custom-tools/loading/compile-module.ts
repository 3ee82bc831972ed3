/**
 * Turns a module's source (TypeScript or JavaScript, ESM or CommonJS) into a function that runs it. jiti's transform turns
 * imports into `require` calls, in order and before the module's own code.
 */
import { dirname, extname } from "node:path"
import { pathToFileURL } from "node:url"
import { Script } from "node:vm"
import type { Jiti } from "jiti"
import { here, requireBeside } from "../../io/beside.ts"
import { isMissingModule } from "../../io/missing-module.ts"
import type { CompileCache, TransformedModule } from "./compile-cache.ts"
import { importMeta, ModuleSyntax } from "./module-syntax.ts"

/** The scope through which a module's code accesses other modules. */
export interface ModuleScope {
  readonly module: { readonly exports: unknown }
  readonly require: (specifier: string) => unknown
  readonly import: (specifier: string) => Promise<unknown>
  readonly resolve: (specifier: string) => string
}

export interface CompiledModule {
  /** Whether it uses `import` and `export`. */
  readonly isEsm: boolean
  /** Whether it has a top-level await: then `run` returns a promise. */
  readonly isAsync: boolean
  /** The imports of an ES module, in order. */
  readonly imports: ReadonlyArray<string>
  run(scope: ModuleScope): unknown
}

const moduleExtensions = [".ts", ".js", ".mjs", ".cjs", ".mts", ".cts"]

export const isModuleFile = (path: string): boolean => moduleExtensions.includes(extname(path))

export const noModule = (path: string): Error =>
  new Error(`${path} is no module: expected ${moduleExtensions.join(", ")}`)

/** Throws for a source that cannot be read or parsed; the message names the file. */
export const compileModule = (path: string, source: () => string, cache?: CompileCache): CompiledModule => {
  if (!isModuleFile(path)) throw noModule(path)
  const text = source()
  const make = () => transform(path, text)
  const { code, isEsm, imports } = cache === undefined ? make() : cache.get(text, extname(path), make)
  const { isAsync, run } = compile(path, code)
  return {
    isEsm,
    isAsync,
    imports,
    run: ({ module, require, import: load, resolve }) => {
      const { exports } = module
      const meta = { ...importMetaOf(path), resolve }
      return run.call(exports, exports, require, module, path, dirname(path), load, resolve, meta)
    },
  }
}

/** The first letter of the extension: `m` and `c` define the kind of module; otherwise the code does. */
const kindOf = (path: string): string | undefined => extname(path)[1]

const isTypeScript = (path: string): boolean => extname(path).endsWith("ts")

/** Includes Bun's fields, because tools of oh-my-pi are written for Bun. */
const importMetaOf = (path: string): Readonly<Record<string, unknown>> => {
  const folder = dirname(path)
  return {
    url: pathToFileURL(path).href,
    filename: path,
    dirname: folder,
    path,
    dir: folder,
    main: false,
    env: process.env,
  }
}

let jiti: Jiti | undefined

const transform = (filename: string, source: string): TransformedModule => {
  const syntax = new ModuleSyntax()
  jiti ??= jitiAt(here)
  const isModule = kindOf(filename) === "m"
  const code = jiti.transform({
    source,
    filename,
    ts: isTypeScript(filename),
    async: false,
    interopDefault: true,
    babel: {
      plugins: [syntax.plugin],
      sourceType: isModule ? "module" : "unambiguous",
      parserOpts: { allowReturnOutsideFunction: !isModule },
    },
  })
  if (code.startsWith(failure)) throw parseError(code.slice(failure.length))
  // CommonJS can require a missing module and handle the error.
  const isEsm = syntax.isEsm && kindOf(filename) !== "c"
  return { code, isEsm, imports: isEsm ? syntax.imports : [] }
}

/** How jiti passes on parser errors: a sentence, then advice about configuration. */
const failure = "exports.__JITI_ERROR__ = "

const parseError = (json: string): SyntaxError => {
  const { filename, line, column, message } = JSON.parse(json) as Readonly<Record<string, string | number>>
  const [sentence = ""] = String(message).trim().split("\n")
  return new SyntaxError(`${filename}:${line}:${column}: ${sentence.replace(/ \(\d+:\d+\):?$/, "")}`)
}

const compile = (filename: string, code: string) => {
  const evaluate = (prefix: string) =>
    new Script(
      `(${prefix}function (exports, require, module, __filename, __dirname, jitiImport, jitiESMResolve, ${importMeta}) {${code}\n})`,
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

const loadJiti = (): typeof import("jiti") => {
  try {
    return requireBeside("jiti")
  } catch (cause) {
    if (!isMissingModule(cause)) throw cause
    throw new Error(
      "The package jiti, which loads foreign tools, is not beside this bundle: npm install jiti@2",
      {
        cause,
      },
    )
  }
}

/**
 * A jiti for the module at a path, without caches of its own. Throws an Error that names the package to install if it is
 * missing, for example beside a bundle.
 */
export const jitiAt = (path: string): Jiti =>
  loadJiti().createJiti(path, { fsCache: false, moduleCache: false, debug: false })
