/** Opens a store of calls: to run them, or, as a client, to see and answer them. */
import { got } from "../pipeline/model/got.ts"
import { ToolRegistry } from "../pipeline/model/registry.ts"
import { isPlainObject } from "../schema/plain-object.ts"
import { DurableClient } from "./durable-client.ts"
import type { DurableExecutor } from "./durable-executor.ts"
import { PostgresExecutor } from "./postgres/postgres-executor.ts"
import { PostgresStore } from "./postgres/postgres-store.ts"
import type { DurableOptions } from "./runner.ts"
import { SqliteExecutor } from "./sqlite/sqlite-executor.ts"
import { SqliteStore } from "./sqlite/sqlite-store.ts"
import { isPostgres, storePath } from "./store-url.ts"

/** The machine of a process that runs calls. */
interface RunnerAddress {
  readonly host?: string
  readonly port?: number
}

/** Throws a TypeError for what says neither that calls are run nor that they are not. */
const expectRunner = (runner: unknown): void => {
  if (runner === undefined || runner === null || typeof runner === "boolean" || isPlainObject(runner)) return
  throw new TypeError(`Expected \`runner\` to be true or false, ${got(runner)}`)
}

/** What `openDurableExecutor` opens, and how its calls are run. */
export interface OpenDurableOptions extends DurableOptions {
  /** `sqlite:./calls.db`, or a path: the file is made where there is none. Or `postgres://…`: its tables are made. */
  readonly store: string
  readonly registry: ToolRegistry<never>
  /**
   * Whether this process runs calls of the store, or where it stands, which nobody has to know: processes find each other through the
   * store. Default true.
   */
  readonly runner?: true | RunnerAddress
}

/** What `openDurableExecutor` opens without running its calls. */
export interface OpenClientOptions {
  readonly store: string
  readonly runner: false
}

/**
 * Opens a store, and goes on with its calls where the last process left them: questions are asked again, background tasks keep their
 * ids, previews can be applied. With `runner: false` the calls of another process are only seen and answered.
 *
 * Rejects with a StoreError: for a store that another process runs, for one of a newer version, for a database of something else.
 */
export async function openDurableExecutor(options: OpenClientOptions): Promise<DurableClient>
export async function openDurableExecutor(options: OpenDurableOptions): Promise<DurableExecutor>
export async function openDurableExecutor(
  options: OpenClientOptions | OpenDurableOptions,
): Promise<DurableClient | DurableExecutor> {
  const { store } = options
  expectRunner(options.runner)
  if (options.runner === false) {
    const opening = isPostgres(store) ? PostgresStore.open(store, false) : SqliteStore.open(storePath(store))
    return new DurableClient(await opening)
  }
  const { store: _, runner: __, registry, ...rest } = options
  if (!(registry instanceof ToolRegistry)) {
    throw new TypeError("Expected `registry` to be a ToolRegistry, or `runner` to be false")
  }
  if (isPostgres(store)) return PostgresExecutor.open(store, registry, rest)
  return SqliteExecutor.open(storePath(store), registry, rest)
}
