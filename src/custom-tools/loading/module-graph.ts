/**
 * The graph of foreign modules. A module is linked before it runs: it and everything that it imports are compiled. Each runs
 * once, after its imports. jiti's own linker with `virtualModules` is not used, because there our modules would override
 * installed packages, modules would run before a missing one is detected, and `createRequire` would bypass it.
 */
import { realpathSync } from "node:fs"
import Module, { createRequire } from "node:module"
import { dirname } from "node:path"
import { fileURLToPath, pathToFileURL } from "node:url"
import { isMissingModule } from "../../io/missing-module.ts"
import { readRegularSync } from "../../text/regular-file.ts"
import type { CompileCache } from "./compile-cache.ts"
import { type CompiledModule, compileModule } from "./compile-module.ts"
import { type ModuleResolver, type ModuleTarget, missingBuiltin } from "./resolve-module.ts"

type State =
  | { readonly _tag: "Linked" }
  | { readonly _tag: "Running" }
  /** It waits for a top-level await. */
  | { readonly _tag: "Waiting"; readonly settled: Promise<void> }
  | { readonly _tag: "Done" }
  | { readonly _tag: "Failed"; readonly error: unknown }

const linked: State = { _tag: "Linked" }
const running: State = { _tag: "Running" }
const done: State = { _tag: "Done" }

/** Tools can be bundled with all their dependencies. */
const maxModuleBytes = 100_000_000

/** An importer of modules: one of our records, or a path for which a module creates a `require`. */
class Importer {
  readonly path: string
  readonly isEsm: boolean
  /** For modules that Node loads. */
  readonly requireNative: NodeJS.Require
  readonly targets = new Map<string, ModuleTarget>()

  constructor(path: string, isEsm: boolean) {
    this.path = path
    this.isEsm = isEsm
    this.requireNative = createRequire(path)
  }
}

export class ModuleRecord extends Importer {
  readonly compiled: CompiledModule
  readonly module: Module
  state: State = linked

  constructor(path: string, source: () => string, cache: CompileCache | undefined) {
    const compiled = compileModule(path, source, cache)
    super(path, compiled.isEsm)
    this.compiled = compiled
    this.module = Object.assign(new Module(path), { filename: path, path: dirname(path) })
  }

  get exports(): unknown {
    return this.module.exports
  }
}

export class ModuleGraph {
  private readonly resolver: ModuleResolver
  private readonly check: ((path: string, content: Uint8Array) => void) | undefined
  private readonly cache: CompileCache | undefined
  private readonly records = new Map<string, ModuleRecord>()
  private readonly runs = new Set<ModuleRecord>()
  /** Packages with a top-level await, which `require` refuses. */
  private readonly asyncPackages = new Map<string, unknown>()
  /** Checked modules that Node loads. */
  private readonly checked = new Set<string>()
  /** The contents of JSON and text files. */
  private readonly data = new Map<string, unknown>()

  private readonly nodeModule = new Proxy(Module, {
    get: (module, key) =>
      key === "createRequire"
        ? (from: string | URL) => this.requireOf(new Importer(pathOf(from), false))
        : Reflect.get(module, key),
  })

  /** @param check Throws to refuse a file with this content. */
  constructor(
    resolver: ModuleResolver,
    check?: (path: string, content: Uint8Array) => void,
    cache?: CompileCache,
  ) {
    this.resolver = resolver
    this.check = check
    this.cache = cache
  }

  /** Prepares the module at a real path and all its imports. Runs nothing. */
  link(path: string): ModuleRecord {
    const known = this.records.get(path)
    if (known !== undefined) return known
    const record = new ModuleRecord(path, () => this.contentOf(path), this.cache)
    this.records.set(path, record)
    try {
      for (const specifier of record.compiled.imports) {
        const target = this.target(record, specifier)
        if (target._tag === "Source") this.link(target.path)
      }
    } catch (error) {
      this.records.delete(path)
      throw error
    }
    return record
  }

  /**
   * Runs a module after its imports, as far as possible without waiting. Returns undefined once it has run, or is about to
   * (a cycle); else a promise, after which to call this again. Throws a module's error, each time.
   */
  evaluate(record: ModuleRecord): Promise<void> | undefined {
    const { state } = record
    if (state._tag === "Failed") throw state.error
    if (state._tag === "Waiting") return state.settled
    if (state._tag !== "Linked") return undefined
    this.enter(record)
    try {
      for (const specifier of record.compiled.imports) {
        const waiting = this.prepare(record, specifier)
        if (waiting !== undefined) {
          this.leave(record, linked)
          return waiting
        }
      }
      return this.run(record)
    } catch (error) {
      this.leave(record, { _tag: "Failed", error })
      throw error
    }
  }

  /** Marks the modules that a watchdog interrupted as failed, since their code could not. */
  fail(error: unknown): void {
    for (const record of this.runs) this.leave(record, { _tag: "Failed", error })
  }

  private run(record: ModuleRecord): Promise<void> | undefined {
    const returned = record.compiled.run(this.scope(record))
    if (!record.compiled.isAsync) {
      this.leave(record, done)
      return undefined
    }
    const settled = Promise.resolve(returned).then(
      () => this.leave(record, done),
      (error: unknown) => this.leave(record, { _tag: "Failed", error }),
    )
    this.leave(record, { _tag: "Waiting", settled })
    return settled
  }

  private enter(record: ModuleRecord): void {
    record.state = running
    this.runs.add(record)
  }

  private leave(record: ModuleRecord, state: State): void {
    record.state = state
    this.runs.delete(record)
  }

  private target(record: Importer, specifier: string): ModuleTarget {
    let target = record.targets.get(specifier)
    if (target === undefined) {
      target = this.resolver.resolve(specifier, record)
      record.targets.set(specifier, target)
    }
    return target
  }

  /** Runs the target of a specifier. Returns a promise if that has to wait, after which to call this again. */
  private prepare(record: Importer, specifier: string): Promise<void> | undefined {
    const target = this.target(record, specifier)
    if (target._tag === "Source") return this.evaluate(this.link(target.path))
    if (target._tag !== "Native" || this.asyncPackages.has(target.id)) return undefined
    if (target.isOurs !== true) this.checkNative(target.id)
    try {
      record.requireNative(target.id)
    } catch (error) {
      if (isAsyncPackage(error)) return this.importPackage(target.id)
      if (codeOf(error) === "ERR_UNKNOWN_BUILTIN_MODULE") throw lackOfNode(error, target.id)
      if (target.standIn === undefined || !isMissingModule(error)) throw error
      record.targets.set(specifier, target.standIn)
    }
    return undefined
  }

  private async importPackage(id: string): Promise<void> {
    const namespace: Record<string, unknown> = await import(
      Module.isBuiltin(id) ? id : pathToFileURL(id).href
    )
    // Without the flag, compiled code treats a module as CommonJS.
    this.asyncPackages.set(id, { ...namespace, __esModule: true })
  }

  private require(record: Importer, specifier: string): unknown {
    if (this.prepare(record, specifier) !== undefined) {
      throw new Error(
        `${record.path} cannot require "${specifier}", which awaits at its top level: import it`,
      )
    }
    const target = this.target(record, specifier)
    switch (target._tag) {
      case "StandIn":
        return target.module
      case "NodeModule":
        return this.nodeModule
      case "Json":
        return this.read(target.path, JSON.parse)
      case "Text":
        return this.read(target.path, String)
      case "Native":
        return this.asyncPackages.get(target.id) ?? record.requireNative(target.id)
      case "Source":
        return this.link(target.path).exports
    }
  }

  private async import(record: Importer, specifier: string): Promise<unknown> {
    for (;;) {
      const waiting = this.prepare(record, specifier)
      if (waiting === undefined) return this.require(record, specifier)
      await waiting
    }
  }

  /** Reads and checks a file, so that exactly the checked content is used. */
  private contentOf(path: string): string {
    const real = realpathSync(path)
    const content = readRegularSync(real, maxModuleBytes)
    this.check?.(real, content)
    // Unlike `toString`, this drops a mark of the byte order.
    return new TextDecoder().decode(content)
  }

  private checkNative(id: string): void {
    if (this.check === undefined || Module.isBuiltin(id) || this.checked.has(id)) return
    this.contentOf(id)
    this.checked.add(id)
  }

  private read(path: string, parse: (text: string) => unknown): unknown {
    if (!this.data.has(path)) this.data.set(path, parse(this.contentOf(path)))
    return this.data.get(path)
  }

  private scope(record: ModuleRecord) {
    return {
      module: record.module,
      require: this.requireOf(record),
      import: (specifier: string) => this.import(record, specifier),
      resolve: (specifier: string) => this.locate(record, specifier),
    }
  }

  private requireOf(record: Importer): NodeJS.Require {
    const { resolve, cache, extensions, main } = record.requireNative
    const require = (specifier: string) => this.require(record, specifier)
    return Object.assign(require, { resolve, cache, extensions, main })
  }

  private locate(record: Importer, specifier: string): string {
    const target = this.target(record, specifier)
    if (target._tag === "StandIn") return specifier
    if (target._tag === "NodeModule") return "node:module"
    if (target._tag === "Native" && Module.isBuiltin(target.id)) return target.id
    return pathToFileURL(target._tag === "Native" ? target.id : target.path).href
  }
}

const pathOf = (from: string | URL): string =>
  from instanceof URL || from.startsWith("file:") ? fileURLToPath(from) : from

/** Adds the importer, since Node's own message names only the module. */
const lackOfNode = (error: unknown, importer: string): Error => {
  const specifier = /node:[\w/-]+/.exec((error as Error).message)?.[0] ?? "a module"
  return missingBuiltin(specifier, importer)
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null | undefined)?.code

const isAsyncPackage = (error: unknown): boolean =>
  codeOf(error) === "ERR_REQUIRE_ASYNC_MODULE" || codeOf(error) === "ERR_REQUIRE_ESM"
