/** Resolves an import: to a file to evaluate, a module that Node loads, or a stand-in. */
import { isBuiltin } from "node:module"
import { dirname, extname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { requireBeside } from "../../io/beside.ts"
import { isModuleFile, jitiAt, noModule } from "./compile-module.ts"
import { readJsonObject } from "./folder-entries.ts"

/** When our own modules stand in for the packages that foreign tools import: if those are not installed, always, never. */
export type StandInMode = "auto" | "always" | "never"

export type StandIns = Readonly<Record<string, object>>

export type ModuleTarget =
  | { readonly _tag: "Source"; readonly path: string }
  | { readonly _tag: "Json"; readonly path: string }
  /** Imported as a string, as in Bun. */
  | { readonly _tag: "Text"; readonly path: string }
  /** `id`: a builtin's name or a path. `standIn`: used if the package's own dependencies are missing. `isOurs`: beside stepline. */
  | { readonly _tag: "Native"; readonly id: string; readonly standIn?: StandInTarget; readonly isOurs?: true }
  | StandInTarget
  /** `node:module`, whose `createRequire` would bypass this resolution. */
  | { readonly _tag: "NodeModule" }

export interface StandInTarget {
  readonly _tag: "StandIn"
  readonly module: object
}

/** The importer. Node's conditions are `import` first for ESM, `require` first for CommonJS. */
interface Importer {
  readonly path: string
  readonly isEsm: boolean
}

/** Resolves a specifier to a file, for a module at `path`, which need not exist; undefined if there is none. */
export const findModule = (specifier: string, { path, isEsm }: Importer): string | undefined => {
  const conditions = ["node", isEsm ? "import" : "require"]
  const found = jitiAt(path).esmResolve(specifier, { try: true, conditions })
  return found?.startsWith("file:") ? fileURLToPath(found) : found
}

/** Whether Node can run a file: it runs no TypeScript of packages, and packages that publish it need another runtime. */
export const runsOnNode = (path: string): boolean => !extname(path).endsWith("ts")

export class ModuleResolver {
  private readonly mode: StandInMode
  private readonly standIns: StandIns
  private readonly found = new Map<string, string | undefined>()
  /** Whether a package needs a stand-in, by its folder. */
  private readonly needing = new Map<string, boolean>()

  constructor(mode: StandInMode, standIns: StandIns) {
    this.mode = mode
    this.standIns = standIns
  }

  /** Resolves a specifier. Throws if there is no such module, with Node's error code. */
  resolve(specifier: string, importer: Importer): ModuleTarget {
    if (isBuiltin(specifier)) return builtinTarget(specifier)
    if (specifier.startsWith("node:")) throw missingBuiltin(specifier, importer.path)
    const standIn = this.standIn(specifier)
    const path = standIn !== undefined && this.mode === "always" ? undefined : this.find(specifier, importer)
    const provided = path === undefined ? this.provided(specifier) : undefined
    if (provided !== undefined) return { _tag: "Native", id: provided, isOurs: true }
    if (standIn !== undefined) {
      return path !== undefined && runsOnNode(path) ? { _tag: "Native", id: path, standIn } : standIn
    }
    if (path === undefined) throw notFound(specifier, importer)
    return this.fileTarget(path, importer)
  }

  /** A cached lookup: missing packages take longest, and modules of a folder import the same ones. */
  private find(specifier: string, importer: Importer): string | undefined {
    const key = JSON.stringify([dirname(importer.path), importer.isEsm, specifier])
    if (!this.found.has(key)) this.found.set(key, findModule(specifier, importer))
    return this.found.get(key)
  }

  /** Version 1 of TypeBox beside stepline, for modules without their own: pi provides it, also under one older name. */
  private provided(specifier: string): string | undefined {
    const name = specifier.replace(/^@sinclair\/(?=typebox\/compile$)/, "")
    if (this.mode === "never" || !/^typebox(?:\/|$)/.test(name)) return undefined
    try {
      return requireBeside.resolve(name)
    } catch {
      return undefined
    }
  }

  private fileTarget(path: string, importer: Importer): ModuleTarget {
    const extension = extname(path)
    if (extension === ".json") return { _tag: "Json", path }
    if (extension === ".md" || extension === ".txt") return { _tag: "Text", path }
    if (this.isOurs(path, importer)) {
      if (isModuleFile(path)) return { _tag: "Source", path }
      // Node would run any text file as JavaScript.
      if (extension !== ".node") throw noModule(path)
    }
    return { _tag: "Native", id: path }
  }

  /**
   * Whether we evaluate a file. Node loads the packages that a module depends on; we evaluate the module's own files, files
   * that Node cannot run, and packages that depend on a package with a stand-in.
   */
  private isOurs(path: string, importer: Importer): boolean {
    const owner = packageOf(path)
    return (
      owner === undefined ||
      owner === packageOf(importer.path) ||
      !runsOnNode(path) ||
      this.needsStandIn(owner)
    )
  }

  private needsStandIn(folder: string): boolean {
    let needs = this.needing.get(folder)
    if (needs === undefined) {
      needs = dependenciesOf(folder).some((name) => isAgentPackage(name) && this.standIn(name) !== undefined)
      this.needing.set(folder, needs)
    }
    return needs
  }

  private standIn(specifier: string): StandInTarget | undefined {
    if (this.mode === "never" || !Object.hasOwn(this.standIns, specifier)) return undefined
    return { _tag: "StandIn", module: this.standIns[specifier]! }
  }
}

const builtinTarget = (specifier: string): ModuleTarget =>
  specifier === "node:module" || specifier === "module"
    ? { _tag: "NodeModule" }
    : { _tag: "Native", id: specifier }

/** The Node versions that added builtins. */
const newerBuiltins: Readonly<Record<string, string>> = {
  "node:sqlite": "22.13",
  "node:sea": "20.12",
  "node:quic": "24",
}

/** The error for a module that this Node version lacks. */
export const missingBuiltin = (specifier: string, importer: string): Error => {
  const since = newerBuiltins[specifier]
  const advice = since === undefined ? "" : `: run on Node ${since} or newer`
  return Object.assign(
    new Error(`Node ${process.versions.node} has no "${specifier}", which ${importer} imports${advice}`),
    { code: "ERR_UNKNOWN_BUILTIN_MODULE" },
  )
}

const isAgentPackage = (name: string): boolean => /^@(?:mariozechner|earendil-works|oh-my-pi)\//.test(name)

/** The dependencies and peer dependencies of a package. */
const dependenciesOf = (folder: string): Array<string> => {
  const { dependencies, peerDependencies } = readJsonObject(join(folder, "package.json"))
  return Object.keys({ ...Object(dependencies), ...Object(peerDependencies) })
}

const packageOf = (path: string): string | undefined =>
  /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+(?=[\\/])/.exec(path)?.[0]

const notFound = (specifier: string, { path }: Importer): Error =>
  Object.assign(new Error(`Cannot find module "${specifier}", which ${path} imports`), {
    code: "MODULE_NOT_FOUND",
  })
