/**
 * Loads foreign modules into this process, TypeScript too, without a build. What one does while it loads is bounded and
 * isolated: it may throw, spin, never settle or try to end the process, and costs nothing but itself.
 */
import { realpath } from "node:fs/promises"
import { loggerOf } from "../file-logger.ts"
import type { Logger } from "../logger.ts"
import { loadStandIns } from "../stand-ins/index.ts"
import { CompileCache } from "./compile-cache.ts"
import { runIsolated } from "./isolation.ts"
import { LoadBound } from "./load-bound.ts"
import { ModuleGraph } from "./module-graph.ts"
import { ModuleResolver, type StandInMode } from "./resolve-module.ts"
import { hideFromLoops } from "./shared-prototypes.ts"

/** The options of a `ModuleLoader`. */
export interface ModuleLoaderOptions {
  /** Default `"auto"`. */
  readonly standIns?: StandInMode
  /** Milliseconds that a module, and then its factory, may take. Default 10,000; `Infinity` is about 25 days. */
  readonly loadTimeout?: number
  /** Warned of what modules leave to nobody: a rejected promise, a throw from a timer. Default: the log file. */
  readonly logger?: Logger
  /**
   * Given each file that is to be run or read, by its real path, with the very bytes; it throws to refuse one. Packages are loaded
   * by Node, and the file that a module imports of one is given alone. Default: all are taken.
   */
  readonly check?: (path: string, content: Uint8Array) => void
}

const defaultTimeout = 10_000

/** A module is loaded once, however often it is asked for or imported: make another loader to load it anew. */
export class ModuleLoader {
  private readonly mode: StandInMode
  private readonly timeout: number
  private readonly logger: Logger | undefined
  private readonly check: ModuleLoaderOptions["check"]
  private graph: Promise<ModuleGraph> | undefined

  constructor({ standIns = "auto", loadTimeout = defaultTimeout, logger, check }: ModuleLoaderOptions = {}) {
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
   * Gives what `take` makes of the default export of the module at an absolute path, or of the module itself where it has
   * none. Rejects with what the module threw, and with errors that name the file where it is missing, takes too long, or
   * imports what is not there.
   */
  async load<T = unknown>(resolvedPath: string, take: (exported: unknown) => T = asItIs): Promise<T> {
    const path = await realpath(resolvedPath).catch(() => undefined)
    if (path === undefined) throw new Error(`There is no file ${resolvedPath}`)
    this.graph ??= makeGraph(this.mode, this.check)
    const graph = await this.graph
    // Nothing foreign runs yet: linking takes none of its time.
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
      // What looks like a value may be a getter.
      return bound.run(() => take(exportedBy(record.exports)))
    })
  }

  /**
   * Runs code of a loaded module, such as its factory, under the same guards and a bound of its own, and so does `take`
   * with what it gives.
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
      return await runIsolated(owner, () => work(new LoadBound(owner, this.timeout)), this.logger)
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
  const resolver = new ModuleResolver(mode, mode === "never" ? {} : await loadStandIns())
  return new ModuleGraph(resolver, check, await CompileCache.open())
}
