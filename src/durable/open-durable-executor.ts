/** Opens a store of calls: to run them or, as a client, to read and answer them. */
import { got } from "../model/got.ts"
import { ToolRegistry } from "../model/registry.ts"
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

/** Throws a TypeError for a `runner` that is neither a boolean nor an address. */
const expectRunner = (runner: unknown): void => {
  if (runner === undefined || runner === null || typeof runner === "boolean" || isPlainObject(runner)) return
  throw new TypeError(`Expected \`runner\` to be true or false, ${got(runner)}`)
}

/** Options of `openDurableExecutor`, to run the calls of a store. */
export interface OpenDurableOptions extends DurableOptions {
  /** `sqlite:./calls.db`, or a path: the file is created if it is missing. Or `postgres://…`: missing tables are created. */
  readonly store: string
  readonly registry: ToolRegistry<never>
  /**
   * Whether this process runs calls of the store: true, or its address. The address is not used: processes find each other
   * through the store. Default true.
   */
  readonly runner?: true | RunnerAddress
}

/** Options of `openDurableExecutor`, for a client, which runs no calls. */
export interface OpenClientOptions {
  readonly store: string
  readonly runner: false
}

/**
 * Opens a store, and resumes its calls where the last process left them: questions are asked again, background tasks keep their
 * ids, previews can be applied. With `runner: false`, another process runs the calls, and this one can only read and answer them.
 *
 * Rejects with a StoreError if another process runs the calls of the file, if a newer version wrote the store, or if the database
 * is not a store.
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
