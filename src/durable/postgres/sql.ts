/** SQL as templates, whose values never become part of its text, on the driver `pg`. */
import type pg from "pg"
import { isMissingModule, notInstalled } from "../../io/missing-module.ts"
import { StoreError } from "../store-error.ts"

/** What a template may have as a value. */
type Value = string | number | boolean | null | ReadonlyArray<string> | ReadonlyArray<number>

type Rows = ReadonlyArray<object>

/** Runs a template; gives its rows. */
export type Query = <R extends Rows = Rows>(
  texts: TemplateStringsArray,
  ...values: ReadonlyArray<Value>
) => Promise<R>

/** What runs queries. */
export interface Queries extends Query {
  /** Runs what has no values: also several statements, of which it gives no rows. */
  run(statements: string): Promise<Rows>
}

/** Connections to one database, made when they are needed. */
export interface Sql extends Queries {
  /** Does all of it in one transaction, or nothing. Its queries run one after the other, in the order in which they are made. */
  begin<T>(work: (sql: Queries) => Promise<T>): Promise<T>
  /** Resolves once what was asked has ended and the connections are closed, or were cut, for the server says nothing any more. */
  end(): Promise<void>
  /** Cuts the connections: what is under way fails, and all that is asked from now on. */
  cut(): void
}

/** A connection that listens. */
export interface Listener {
  /** Tells all that listen to this channel. */
  tell(message: string): Promise<void>
  end(): void
}

const ignore = (): void => undefined

/** Milliseconds that a connection may take to be made. */
const connectTimeout = 10_000

/** Milliseconds after which a server that says nothing is held to be gone. */
const queryTimeout = 60_000

/** Milliseconds that queries in flight have at the end. */
const endTimeout = 5000

/** The oid of `bigint`: numbers of a store stay far below what a number holds exactly. */
const bigint = 20

const load = async (): Promise<typeof pg> => {
  try {
    return (await import("pg")).default
  } catch (cause) {
    if (!isMissingModule(cause)) throw cause
    throw new StoreError(notInstalled("pg", "8"), { cause })
  }
}

const optionsOf = (driver: typeof pg, connectionString: string): pg.ClientConfig => ({
  connectionString,
  application_name: "stepline",
  connectionTimeoutMillis: connectTimeout,
  query_timeout: queryTimeout,
  keepAlive: true,
  types: {
    getTypeParser: ((oid: number, format: "text") =>
      oid === bigint ? Number : driver.types.getTypeParser(oid, format)) as typeof driver.types.getTypeParser,
  },
})

/** Codes of what is over by itself: the server starts or stops, or there is no way to it. */
const away = /^(?:08|57P0|53300|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_AGAIN|ENOTFOUND)/

/** Whether a query failed because the database cannot be reached now. */
export const isAway = (error: unknown): boolean => {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  return (
    away.test(String(code)) ||
    /^(?:Connection terminated|timeout expired|timeout exceeded|Query read timeout)/.test(String(message))
  )
}

/** The text of a template, with a number for each value. */
const textOf = (texts: TemplateStringsArray): string =>
  texts.reduce((text, part, place) => `${text}$${place}${part}`)

type Run = (text: string, values?: Array<unknown>) => Promise<pg.QueryResult>

const queriesOn = (run: Run): Queries => {
  const query: Query = async (texts, ...values) => (await run(textOf(texts), [...values])).rows as never
  return Object.assign(query, { run: async (statements: string) => (await run(statements)).rows })
}

/** The queries of one transaction, one after the other. */
const inTurn = (client: pg.PoolClient) => {
  let last: Promise<unknown> = Promise.resolve()
  let isOver = false
  const queries = queriesOn((text, values) => {
    const result = last.then(() => {
      if (isOver) throw new Error("The transaction has failed")
      return client.query(text, values)
    })
    last = result.catch(ignore)
    return result
  })
  /** What waits for its turn is not run any more: it would be outside of the transaction. */
  const stop = (): Promise<unknown> => {
    isOver = true
    return last
  }
  return { queries, stop }
}

const transactionOn =
  (pool: pg.Pool): Sql["begin"] =>
  async (work) => {
    const client = await pool.connect()
    const { queries, stop } = inTurn(client)
    try {
      await client.query("BEGIN")
      const result = await work(queries)
      await client.query("COMMIT")
      client.release()
      return result
    } catch (error) {
      await stop()
      const isOver = await client.query("ROLLBACK").then(
        () => true,
        () => false,
      )
      // A connection of which it is not known where it stands is not used again.
      client.release(!isOver)
      throw error
    }
  }

/** What the driver has below a connection, and does not tell. */
interface Wired {
  readonly connection?: { readonly stream?: { destroy(): void } }
}

const cutOff = (client: pg.ClientBase): void => (client as unknown as Wired).connection?.stream?.destroy()

const cutError = () => new Error("Connection terminated: it was cut")

/** Opens nothing yet. `max`: how many connections at most. */
export const connectSql = async (url: string, max: number): Promise<Sql> => {
  const driver = await load()
  const pool = new driver.Pool({ ...optionsOf(driver, url), max })
  // The query that notices it tells of it.
  pool.on("error", ignore)
  const clients = new Set<pg.PoolClient>()
  let isCut = false
  pool.on("connect", (client) => {
    client.on("error", ignore)
    clients.add(client)
    if (isCut) cutOff(client)
  })
  pool.on("remove", (client) => clients.delete(client))
  /** What was asked and has not ended, and what makes it fail. */
  const asked = new Map<Promise<unknown>, (error: Error) => void>()
  const cut = () => {
    isCut = true
    for (const client of clients) cutOff(client)
    for (const fail of asked.values()) fail(cutError())
  }
  const ask = <T>(work: () => Promise<T>): Promise<T> => {
    if (isCut) return Promise.reject(cutError())
    let fail: (error: Error) => void = ignore
    const result = new Promise<T>((resolve, reject) => {
      fail = reject
      work().then(resolve, reject)
    })
    const over = () => asked.delete(result)
    asked.set(result, fail)
    result.then(over, over)
    return result
  }
  const begin = transactionOn(pool)
  return Object.assign(
    queriesOn((text, values) => ask(() => pool.query(text, values))),
    {
      begin: <T>(work: (sql: Queries) => Promise<T>) => ask(() => begin(work)),
      end: async () => {
        const late = new Promise<void>((resolve) =>
          setTimeout(() => {
            cut()
            resolve()
          }, endTimeout).unref(),
        )
        // First: who waits for a connection would get none of a pool that has ended.
        await Promise.race([Promise.allSettled(asked.keys()), late])
        await Promise.race([pool.end(), late])
      },
      cut,
    },
  )
}

/** Listens to a channel. `ended`: told once the connection is lost. Rejects where it cannot be made. */
export const listen = async (
  url: string,
  channel: string,
  heard: (message: string) => void,
  ended: () => void,
): Promise<Listener> => {
  const driver = await load()
  const client = new driver.Client(optionsOf(driver, url))
  client.on("error", ignore)
  client.on("notification", ({ payload = "" }) => heard(payload))
  try {
    await client.connect()
    await client.query(`LISTEN ${channel}`)
  } catch (error) {
    void client.end().catch(ignore)
    throw error
  }
  client.on("end", ended)
  return {
    tell: async (message) => void (await client.query("SELECT pg_notify($1, $2)", [channel, message])),
    end: () => {
      void client.end().catch(ignore)
      setTimeout(cutOff, endTimeout, client).unref()
    },
  }
}
