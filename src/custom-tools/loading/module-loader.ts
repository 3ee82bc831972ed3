/**
 * Loads foreign modules into this process, including TypeScript, without a build. Loading is bounded and isolated: a module
 * can throw, loop, never settle or try to end the process, and affects only itself.
 */
import { realpath } from "node:fs/promises"
import { busyFactor } from "../../io/busy-machine.ts"
import { loggerOf } from "../file-logger.ts"
import type { Logger } from "../host.ts"
import { CompileCache } from "./compile-cache.ts"
import { runIsolated } from "./isolation.ts"
import { type LoadBound, loadBound } from "./load-bound.ts"
import { ModuleGraph } from "./module-graph.ts"
import { ModuleResolver, type StandInMode } from "./resolve-module.ts"

/** The options of a `ModuleLoader`. */
export interface ModuleLoaderOptions {
  /** Default `"auto"`. */
  readonly standIns?: StandInMode
  /** Time limit for a module, and then for its factory, in milliseconds. Default 10,000, on a busy machine up to 40,000; `Infinity` is about 25 days. */
  readonly loadTimeout?: number
  /** Receives warnings about errors that modules do not handle: a rejected promise, a throw from a timer. Default: the log file. */
  readonly logger?: Logger
  /**
   * Called with each file to run or read, by its real path, with its exact bytes; throws to refuse it. Node loads packages:
   * for them, it is called only with the imported file. Default: accepts all.
   */
  readonly check?: (path: string, content: Uint8Array) => void
}

const defaultTimeout = (): number => Math.round(10_000 * busyFactor())

/** Loads each module once, however often it is requested or imported: create another loader to load it again. */
export class ModuleLoader {
  /** @internal */
  readonly mode: StandInMode
  /** @internal */
  readonly timeout: number
  private readonly logger: Logger | undefined
  /** @internal */
  readonly check: ModuleLoaderOptions["check"]
  private graph: Promise<ModuleGraph> | undefined

  constructor({
    standIns = "auto",
    loadTimeout = defaultTimeout(),
    logger,
    check,
  }: ModuleLoaderOptions = {}) {
    if (!(loadTimeout > 0)) {
      throw new TypeError(
        `Expected \`loadTimeout\` to be a positive number of milliseconds, got \`${loadTimeout}\` (${typeof loadTimeout})`,
      )
    }
    this.mode = standIns
    this.timeout = loadTimeout
    this.logger = logger
    this.check = check
  }

  /**
   * Resolves with the result of `take` for the default export of the module at an absolute path, or for the module itself if
   * it has none. Rejects with the module's error, and with errors that name the file if it is missing, takes too long, or
   * has a missing import.
   */
  async load<T = unknown>(resolvedPath: string, take: (exported: unknown) => T = asItIs): Promise<T> {
    const path = await realpath(resolvedPath).catch(() => undefined)
    if (path === undefined) throw new Error(`There is no file ${resolvedPath}`)
    this.graph ??= makeGraph(this.mode, this.check)
    const graph = await this.graph
    // No foreign code runs yet: linking does not count towards its time.
    const record = graph.link(path)
    return await this.guard(resolvedPath, async (bound) => {
      try {
        for (;;) {
          const waiting = bound.run(() => graph.evaluate(record))
          if (waiting === undefined) break
          await bound.wait(waiting)
        }
      } catch (error) {
        graph.fail(error)
        throw error
      }
      // Any property can be a getter.
      return bound.run(() => take(exportedBy(record.exports)))
    })
  }

  /**
   * Runs code of a loaded module, such as its factory, and `take` on its result, under the same guards and with a new time
   * limit.
   */
  call<T, R = T>(
    resolvedPath: string,
    work: () => T | Promise<T>,
    take: (returned: T) => R = asItIs,
  ): Promise<R> {
    return this.guard(resolvedPath, async (bound) => {
      const returned = await bound.wait(Promise.resolve(bound.run(work)))
      return bound.run(() => take(returned))
    })
  }

  private async guard<T>(owner: string, work: (bound: LoadBound) => Promise<T>): Promise<T> {
    try {
      return await runIsolated(owner, () => work(loadBound(owner, this.timeout)), this.logger)
    } finally {
      const names = hideFromLoops()
      if (names.length > 0) {
        ;(this.logger ?? loggerOf({})).warn(`${owner} added to what all objects share: ${names.join(", ")}`)
      }
    }
  }
}

const asItIs = <T, R>(value: T): R => value as unknown as R

const exportedBy = (exports: unknown): unknown =>
  (exports as { default?: unknown } | null | undefined)?.default ?? exports

const makeGraph = async (mode: StandInMode, check: ModuleLoaderOptions["check"]): Promise<ModuleGraph> => {
  const { standIns } = mode === "never" ? { standIns: {} } : await import("../stand-ins/modules.ts")
  const resolver = new ModuleResolver(mode, standIns)
  return new ModuleGraph(resolver, check, await CompileCache.open())
}

const sharedPrototypes = [Object.prototype, Array.prototype, Function.prototype]

/**
 * Hides properties that foreign code has added to shared prototypes from loops over objects, which would break code such as the
 * validator of parameters. They can still be read. Returns their names.
 */
const hideFromLoops = (): Array<string> =>
  sharedPrototypes.flatMap((prototype) =>
    Object.entries(Object.getOwnPropertyDescriptors(prototype))
      .filter(([, { enumerable }]) => enumerable === true)
      .filter(([name]) => Reflect.defineProperty(prototype, name, { enumerable: false }))
      .map(([name]) => name),
  )
