/** Reads what a store has recorded, beside the process that runs its calls. Nothing of the store changes. */
import { pageSize } from "./event-log.ts"
import { openToRead } from "./postgres/connection.ts"
import { eventPage } from "./postgres/postgres-store.ts"
import { SqliteStore } from "./sqlite/sqlite-store.ts"
import { isPostgres, storePath } from "./store-url.ts"
import type { StoredEvent } from "./stored-event.ts"

/** Events are read a page at a time. */
export interface Recording {
  events(after: number, agentId: string | undefined): Promise<Array<StoredEvent>>
  close(): Promise<void>
}

/** Rejects with a StoreError if there is no store, or if a newer version wrote it. One of an older version is read as it is. */
export const openRecording = async (store: string): Promise<Recording> => {
  if (!isPostgres(store)) return SqliteStore.read(storePath(store))
  const sql = await openToRead(store)
  return { events: (after, agentId) => eventPage(sql, after, agentId), close: () => sql.end() }
}

/** The events that are stored by now, from the oldest one on. @param agentId Default: of all agents. */
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
