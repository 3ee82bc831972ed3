/** Reads what a store has recorded, without running its calls. The store is not changed. */
import { pageSize } from "./event-log.ts"
import { openToRead } from "./postgres/connection.ts"
import { eventPage } from "./postgres/postgres-store.ts"
import { SqliteStore } from "./sqlite/sqlite-store.ts"
import type { CallStore } from "./store.ts"
import { isPostgres, storePath } from "./store-url.ts"
import type { StoredEvent } from "./stored-event.ts"

/** The events of a store, read page by page. */
export type Recording = Pick<CallStore, "events" | "close">

/**
 * Opens a store for reading. Rejects with a StoreError if there is no store, or if a newer version wrote it. A store of an
 * older version is read unchanged.
 */
export const openRecording = async (store: string): Promise<Recording> => {
  if (!isPostgres(store)) return SqliteStore.open(storePath(store), true)
  const sql = await openToRead(store)
  return { events: (after, agentId) => eventPage(sql, after, agentId), close: () => sql.end() }
}

/** Yields the events that are stored now, from the oldest on. @param agentId Default: all agents. */
export async function* recordedEvents(
  recording: Recording,
  agentId?: string,
): AsyncGenerator<StoredEvent, undefined, undefined> {
  let after = 0
  for (;;) {
    const page = await recording.events(after, agentId)
    yield* page
    if (page.length < pageSize) return
    after = page.at(-1)!.seq
  }
}
