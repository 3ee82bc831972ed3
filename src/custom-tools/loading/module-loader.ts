/**
 * Loads foreign modules into this process, TypeScript too, without a build. What one does while it loads is bounded and
 * isolated: it may throw, spin, never settle or try to end the process, and costs nothing but itself.
 */
import { realpath } from "node:fs/promises"
import { loadStandIns } from "../stand-ins/index.ts"
import { foreignOwner, runIsolated } from "./isolation.ts"
import { LoadBound } from "./load-bound.ts"
import { ModuleGraph } from "./module-graph.ts"
import { ModuleResolver, type StandInMode } from "./resolve-module.ts"
import { expectStrays } from "./stray-errors.ts"

export interface ModuleLoaderOptions {
  /** Default `"auto"`. */
  readonly standIns?: StandInMode
  /** Milliseconds that a module, and then its factory, may take. Default 10,000; `Infinity` is about 25 days. */
  readonly loadTimeout?: number
  /** Told of what a module left to nobody while it loaded: a rejected promise, a throw from a timer. Default: ignored. */
  readonly onStrayError?: (owner: string, error: unknown) => void
}

const defaultTimeout = 10_000

/** A module is loaded once, however often it is asked for or imported: make another loader to load it anew. */
export class ModuleLoader {
  private readonly mode: StandInMode
  private readonly timeout: number
  private readonly onStrayError: NonNullable<ModuleLoaderOptions["onStrayError"]>
  private graph: Promise<ModuleGraph> | undefined

  constructor({ standIns = "auto", loadTimeout = defaultTimeout, onStrayError }: ModuleLoaderOptions = {}) {
    if (!(loadTimeout > 0)) {
      throw new TypeError(
        `Expected \`loadTimeout\` to be a positive number of milliseconds, got \`${loadTimeout}\` (${typeof loadTimeout})`,
      )
    }
    this.mode = standIns
    this.timeout = loadTimeout
    this.onStrayError = onStrayError ?? (() => undefined)
  }

  /**
   * The default export of the module at an absolute path, or the module itself where it has none. Rejects with what the
   * module threw, and with errors that name the file where it is missing, takes too long, or imports what is not there.
   */
  async load(resolvedPath: string): Promise<unknown> {
    const path = await realpath(resolvedPath).catch(() => undefined)
    if (path === undefined) throw new Error(`There is no file ${resolvedPath}`)
    this.graph ??= makeGraph(this.mode)
    const graph = await this.graph
    // Nothing foreign runs yet: linking takes none of its time.
    const record = graph.link(path)
    await this.guard(resolvedPath, async (bound) => {
      try {
        for (;;) {
          const waiting = bound.run(() => graph.evaluate(record))
          if (waiting === undefined) return
          await bound.wait(waiting)
        }
      } catch (error) {
        graph.fail(error)
        throw error
      }
    })
    const { exports } = record
    return (exports as { default?: unknown } | null | undefined)?.default ?? exports
  }

  /** Runs code of a loaded module, such as its factory, under the same guards and a bound of its own. */
  call<T>(resolvedPath: string, work: () => T | Promise<T>): Promise<T> {
    return this.guard(resolvedPath, async (bound) => bound.wait(Promise.resolve(bound.run(work))))
  }

  private async guard<T>(owner: string, work: (bound: LoadBound) => Promise<T>): Promise<T> {
    const stop = expectStrays((error) => {
      if (foreignOwner() !== owner) return false
      this.onStrayError(owner, error)
      return true
    })
    try {
      return await runIsolated(owner, () => work(new LoadBound(owner, this.timeout)))
    } finally {
      // Node tells of a rejection at the end of the turn.
      setImmediate(stop)
    }
  }
}

const makeGraph = async (mode: StandInMode): Promise<ModuleGraph> =>
  new ModuleGraph(new ModuleResolver(mode, mode === "never" ? {} : await loadStandIns()))
