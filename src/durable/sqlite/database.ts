/**
 * One SQLite file: its tables, their version, and its owner. When `transaction` returns, its changes survive the end of the process
 * and of the machine.
 */
import { closeSync, openSync, realpathSync, type Stats, statSync } from "node:fs"
import { pathToFileURL } from "node:url"
import type Database from "libsql"
import { folderFault, writeFault } from "../../io/file-fault.ts"
import { isMissingModule, notInstalled } from "../../io/missing-module.ts"
import { messageOf } from "../../text/message-of.ts"
import { receiptsMark } from "../poisoned.ts"
import { closedError, StoreError } from "../store-error.ts"

/** The version that this stepline writes. A store of version 1 has the same tables, with snapshots of version 1. */
const storeVersion = 2

/** "stpl": identifies a store among databases. */
const applicationId = 0x7374706c

const schema = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE calls (
  seq INTEGER PRIMARY KEY,
  call_id TEXT NOT NULL UNIQUE,
  agent_id TEXT NOT NULL,
  name TEXT NOT NULL,
  asks INTEGER NOT NULL DEFAULT 0,
  background INTEGER NOT NULL DEFAULT 0,
  snapshot TEXT,
  deadline INTEGER,
  result TEXT,
  ended_at INTEGER
);
CREATE INDEX calls_open ON calls (seq) WHERE ended_at IS NULL;
CREATE INDEX calls_asking ON calls (seq) WHERE asks = 1;
CREATE INDEX calls_background ON calls (seq) WHERE background = 1 AND ended_at IS NULL;
CREATE INDEX calls_ended ON calls (ended_at) WHERE ended_at IS NOT NULL;
CREATE TABLE events (
  seq INTEGER PRIMARY KEY,
  agent_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  event TEXT NOT NULL
);
CREATE INDEX events_at ON events (at);
CREATE TABLE tasks (
  task_id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  ended_at INTEGER NOT NULL,
  task TEXT NOT NULL
);
CREATE TABLE actions (
  action_id TEXT PRIMARY KEY,
  agent_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  dropping INTEGER NOT NULL,
  label TEXT NOT NULL,
  source TEXT NOT NULL,
  snapshot TEXT
);
CREATE TABLE rules (
  id INTEGER PRIMARY KEY,
  cwd TEXT NOT NULL,
  tool TEXT NOT NULL,
  params TEXT NOT NULL,
  choice TEXT NOT NULL
);
CREATE TABLE requests (id INTEGER PRIMARY KEY AUTOINCREMENT, request TEXT NOT NULL, answer TEXT, at INTEGER NOT NULL);
CREATE INDEX requests_open ON requests (id) WHERE answer IS NULL;
`

/** Since 0.3: added to a store of version 1 when its owner opens it. */
const keysSchema = `
CREATE TABLE IF NOT EXISTS keys (key TEXT PRIMARY KEY, output TEXT NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS keys_expiring ON keys (expires_at);
`

/**
 * Since 0.3, like the keys: the uses that calls count at limits. `until`: for a rate, in epoch milliseconds. In slot -1, calls that were
 * counted and have not ended.
 */
const usesSchema = `
CREATE TABLE IF NOT EXISTS uses (
  key TEXT NOT NULL, slot INTEGER NOT NULL, used REAL NOT NULL, until INTEGER, at INTEGER NOT NULL, PRIMARY KEY (key, slot)
) WITHOUT ROWID;
`

/** Since 0.3, like the keys. A read with this condition uses the index. */
export const hasReceipts = `instr(result, '${receiptsMark}') > 0`
const receiptsIndex = `CREATE INDEX IF NOT EXISTS calls_receipts ON calls (ended_at) WHERE ${hasReceipts};`

/**
 * For a restored backup, which is not in WAL mode if VACUUM INTO made it: the numbers that its owner had reserved by then were used
 * for events that the backup lacks.
 */
const forgetReserved = `
UPDATE meta SET value = (SELECT coalesce(max(seq), meta.value) FROM events) WHERE key = 'events';
`

const newTables = `${keysSchema} ${usesSchema} ${receiptsIndex}`

/** A row, by column. */
export type Row = Readonly<Record<string, string | number | null>>

/** A value for a placeholder. */
export type Value = string | number | null

const load = async (): Promise<typeof Database> => {
  try {
    return (await import("libsql")).default
  } catch (cause) {
    if (!isMissingModule(cause)) throw cause
    throw new StoreError(notInstalled("libsql", "0.5"), { cause })
  }
}

/** Milliseconds until a locked store is tried again: SQLite itself would block the process while it waits. */
const lockRetry = 10

/** The number of retries for a locked store: five seconds in total. */
const lockRetries = 500

/** Whether another process has locked the store. */
export const isBusy = (error: unknown): boolean =>
  String((error as { readonly code?: unknown } | null | undefined)?.code).startsWith("SQLITE_BUSY")

/** Rejects with a StoreError if another process keeps the store locked. */
const whenFree = async <T>(path: string, work: () => T): Promise<T> => {
  for (let retries = 0; ; retries += 1) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error)) throw error
      if (retries === lockRetries) throw lockedError(path, error)
    }
    await new Promise((resolve) => setTimeout(resolve, lockRetry))
  }
}

const lockedError = (path: string, cause: unknown): StoreError =>
  new StoreError(
    `${path} is locked: another process has been writing to it for 5 seconds. Wait for its end, and ask again`,
    { cause },
  )

/** An open database. */
export class StoreDatabase {
  readonly path: string
  private readonly database: Database.Database
  /** Held while this process runs the calls. The end of the process, whatever its cause, releases the lock. */
  private readonly lock: Database.Database | undefined
  private readonly statements = new Map<string, Database.Statement>()
  private commits = 0
  private readonly inode: number | undefined

  private constructor(path: string, database: Database.Database, lock: Database.Database | undefined) {
    this.path = path
    this.inode = statOf(path)?.ino
    this.database = database
    this.lock = lock
  }

  /**
   * Opens a store; an owner creates a missing one. `owns`: whether to run its calls, which only one process at a time may do.
   * `isReading`: whether nothing may change, not even the version of an older store. Throws a StoreError if the database is not a store,
   * if a newer version wrote it, and if another process owns it.
   */
  static async open(path: string, owns: boolean, isReading = false): Promise<StoreDatabase> {
    const Libsql = await load()
    expectFile(path, owns)
    const lock = owns ? takeLock(Libsql, path, realPath(path)) : undefined
    let database: Database.Database | undefined
    try {
      if (owns) makeFile(path)
      const opened = new Libsql(isReading ? `${pathToFileURL(path).href}?mode=ro` : path)
      database = opened
      await whenFree(path, () => prepare(opened, path, owns, isReading))
      return new StoreDatabase(path, opened, lock)
    } catch (error) {
      database?.close()
      lock?.close()
      if (error instanceof StoreError) throw error
      throw notOpened(path, messageOf(error), error)
    }
  }

  /** Does `work` at once if possible, otherwise as soon as no other process locks the store. */
  whenFree<T>(work: () => T): Promise<T> {
    return whenFree(this.path, work)
  }

  /** Commits all of `work`, or nothing. Throws if another process locks the store, and if the file is not in its place any more. */
  transaction(work: () => void): void {
    if (!this.database.open) throw closedError()
    this.expectInPlace()
    this.database.exec("BEGIN IMMEDIATE")
    try {
      work()
      this.database.exec("COMMIT")
      this.commits += 1
    } catch (error) {
      this.rollBack()
      throw error
    }
  }

  /** Throws if the file is not in its place any more: others neither find what is written to it, nor write to it. */
  private expectInPlace(): void {
    if (statOf(this.path)?.ino !== this.inode) throw goneError(this.path)
  }

  private rollBack(): void {
    try {
      this.database.exec("ROLLBACK")
    } catch {
      // The failure has already ended the transaction.
    }
  }

  run(sql: string, ...values: ReadonlyArray<Value>): number {
    return Number(this.prepared(sql).run(...values).lastInsertRowid)
  }

  /** `R`: the columns that the statement selects. */
  all<R = Row>(sql: string, ...values: ReadonlyArray<Value>): Array<R> {
    return this.prepared(sql).all(...values) as Array<R>
  }

  get<R = Row>(sql: string, ...values: ReadonlyArray<Value>): R | undefined {
    return this.all<R>(sql, ...values)[0]
  }

  /**
   * Grows with each write: `data_version` counts those of other connections, `commits` those of this one. Throws if the file is not in
   * its place any more.
   */
  get version(): number {
    this.expectInPlace()
    return Number(this.get("PRAGMA data_version")?.data_version) + this.commits
  }

  close(): void {
    try {
      // Nobody would find in a copy of the file what the driver leaves beside it until the process ends.
      if (this.lock !== undefined) this.database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch {
      // The file beside it stays, and the next process reads it.
    }
    this.statements.clear()
    this.database.close()
    this.lock?.close()
  }

  private prepared(sql: string): Database.Statement {
    if (!this.database.open) throw closedError()
    const known = this.statements.get(sql)
    if (known !== undefined) return known
    const statement = this.database.prepare(sql)
    this.statements.set(sql, statement)
    return statement
  }
}

const goneError = (path: string): StoreError =>
  new StoreError(
    `${path} was moved, deleted or replaced while it was open. Nothing is stored until the file is back`,
  )

const noStore = (path: string) =>
  new StoreError(`There is no store at ${path} yet: start what runs its calls first.`)

/**
 * Creates a missing file that only its user may read: SQLite gives the files beside a database the same mode. An existing file is
 * not opened, because closing it would release the locks that this process holds on it.
 */
const makeFile = (path: string): void => {
  try {
    closeSync(openSync(path, "ax", 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error
  }
}

const notOpened = (path: string, fault: string, cause?: unknown): StoreError =>
  new StoreError(`Cannot open the store ${path}: ${fault}`, cause === undefined ? {} : { cause })

/** Throws a StoreError for a folder, and for a missing file that may not be created. */
const expectFile = (path: string, makes: boolean): void => {
  const file = statOf(path)
  if (file === undefined && !makes) throw noStore(path)
  if (file?.isDirectory() === true) throw notOpened(path, folderFault)
}

/** Undefined for a missing file. */
const statOf = (path: string): Stats | undefined => {
  try {
    return statSync(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined
    throw notOpened(path, writeFault(error), error)
  }
}

/** The path without links, so that a store with two names has one owner. */
const realPath = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    // The file is missing: its owner makes it.
    return path
  }
}

/** The lock is a separate file, so that other processes can read the store and write their answers. */
const takeLock = (Libsql: typeof Database, path: string, real: string): Database.Database => {
  let lock: Database.Database | undefined
  try {
    makeFile(`${real}-owner`)
    lock = new Libsql(`${real}-owner`)
    lock.exec("PRAGMA busy_timeout = 0")
    lock.exec("BEGIN EXCLUSIVE")
    return lock
  } catch (error) {
    lock?.close()
    if (isBusy(error)) {
      throw new StoreError(
        `${path} is in use: another process runs its calls. End that one, or answer its questions with \`stepline inbox\`.`,
      )
    }
    throw notOpened(path, writeFault(error), error)
  }
}

const pragma = (database: Database.Database, name: string): unknown =>
  (database.prepare(`PRAGMA ${name}`).raw().get() as ReadonlyArray<unknown>)[0]

/** Sets up a database; a refused one is not changed. */
const prepare = (database: Database.Database, path: string, owns: boolean, isReading: boolean): void => {
  database.exec("PRAGMA busy_timeout = 0")
  const isNew = isNewStore(database, path)
  if (isNew && !owns) throw noStore(path)
  if (isReading) return
  if (!isNew && pragma(database, "journal_mode") !== "wal") database.exec(forgetReserved)
  if (isNew) database.exec("PRAGMA auto_vacuum = INCREMENTAL")
  database.exec("PRAGMA journal_mode = WAL")
  database.exec("PRAGMA synchronous = FULL")
  if (!isNew) {
    // An older stepline could not read the data that is written from here on.
    if (owns) database.exec(`BEGIN IMMEDIATE; ${newTables} PRAGMA user_version = ${storeVersion}; COMMIT`)
    return
  }
  database.exec(
    `BEGIN IMMEDIATE; ${schema} ${newTables} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${storeVersion}; COMMIT`,
  )
}

/** Whether a database has no tables yet. Throws a StoreError if it is not a store, or if a newer version wrote it. */
const isNewStore = (database: Database.Database, path: string): boolean => {
  // Read first: an owner that is creating the store writes the tables and the ids below in one transaction.
  const isEmpty = database.prepare("SELECT 1 FROM sqlite_master LIMIT 1").all().length === 0
  const version = Number(pragma(database, "user_version"))
  const id = pragma(database, "application_id")
  if (isEmpty && version === 0) return true
  if (id !== applicationId)
    throw new StoreError(`${path} is the database of something else: use another file.`)
  if (version > storeVersion) {
    throw new StoreError(
      `${path} was written by a newer stepline: its version is ${version}, and ${storeVersion} is read. Update stepline, or use another file.`,
    )
  }
  return false
}
