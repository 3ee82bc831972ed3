/** Durable executors of one store, one after another, as if each were the next process. */
import { afterEach } from "vitest"
import { type DurableExecutor, type DurableOptions, openDurableExecutor } from "../../src/durable/index.ts"
import { connectSql } from "../../src/durable/postgres/sql.ts"
import type { ToolEvent } from "../../src/index.ts"
import { type Plan, registryOf } from "../support/executor-of.ts"
import { outliveLeases } from "./postgres/admin.ts"
import { isShared } from "./stores.ts"

const open = new Set<DurableExecutor>()

afterEach(async () => {
  for (const durable of open) await durable.close()
  open.clear()
})

/** In Postgres, it stays what it is until then, however long this machine holds it up. */
const outlive = async (store: string): Promise<void> => {
  const sql = await connectSql(store, 1)
  await outliveLeases(sql)
  await sql.end()
}

/** Opens a store with tools that compose these pipelines. It is closed after the test. */
export const durableOf = async (
  store: string,
  pipelines: Readonly<Record<string, Plan>>,
  options: DurableOptions = {},
): Promise<DurableExecutor> => {
  const durable = await openDurableExecutor({ store, registry: registryOf(pipelines), ...options })
  open.add(durable)
  if (isShared(store)) await outlive(store)
  return durable
}

/** Reads events until one of this tag. */
export const untilTag = async <Tag extends ToolEvent["_tag"]>(
  { executor }: DurableExecutor,
  tag: Tag,
): Promise<Extract<ToolEvent, { readonly _tag: Tag }>> => {
  // Not `next`, which ends where nothing is left to come: what is queued in a store may be on its way.
  const { events } = executor
  for (;;) {
    const { value: event } = await events.next()
    if (event === undefined) throw new Error(`No ${tag} came`)
    if (event._tag === tag) return event as Extract<ToolEvent, { readonly _tag: Tag }>
  }
}
