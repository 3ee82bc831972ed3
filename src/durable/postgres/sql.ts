/** SQL templates on the driver `pg`. Values never become part of the SQL text. */
import type pg from "pg"
import { isMissingModule, notInstalled } from "../../io/missing-module.ts"
import { StoreError } from "../store-error.ts"

/** A value in a template. */
type Value = string | number | boolean | null | ReadonlyArray<string> | ReadonlyArray<number>

type Rows = ReadonlyArray<object>

/** Runs a template and returns its rows. */
export type Query = <R extends Rows = Rows>(
  texts: TemplateStringsArray,
  ...values: ReadonlyArray<Value>
) => Promise<R>

/** Runs queries. */
export interface Queries extends Query {
  /** Runs a text without values, which may have several statements: then no rows are returned. */
  run(statements: string): Promise<Rows>
}

/** Connections to one database, opened on demand. */
export interface Sql extends Queries {
  /** Commits all of `work`, or nothing. Its queries run one after another, in the order of their calls. */
  begin<T>(work: (sql: Queries) => Promise<T>): Promise<T>
  /** Resolves once all queries have ended and the connections are closed. Connections to a silent server are cut. */
  end(): Promise<void>
  /** Cuts the connections: queries under way fail, and so do all later ones. */
  cut(): void
}

/** A connection that listens. */
export interface Listener {
  /** Notifies all listeners of the channel. */
  tell(message: string): Promise<void>
  end(): void
}

const ignore = (): void => undefined

/** The maximum milliseconds for opening a connection. */
const connectTimeout = 10_000

/** Milliseconds after which a silent server counts as gone. */
const queryTimeout = 60_000

/** The milliseconds that running queries have before the connections close. */
const endTimeout = 5000

/** The oid of `bigint`: the numbers of a store fit into a JavaScript number. */
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

/** The codes of temporary errors: the server starts or stops, is read-only, or cannot be reached. */
const away = /^(?:08|57P0|53300|25006|ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|EAI_AGAIN|ENOTFOUND)/

/** Whether a query failed because the database cannot be reached. */
export const isAway = (error: unknown): boolean => {
  const { code, message } = (error ?? {}) as { readonly code?: unknown; readonly message?: unknown }
  return (
    away.test(String(code)) ||
    /^(?:Connection terminated|Client has encountered|timeout expired|timeout exceeded|Query read timeout)/.test(
      String(message),
    )
  )
}

/** The text of a template, with a numbered placeholder for each value. */
const textOf = (texts: TemplateStringsArray): string =>
  texts.reduce((text, part, place) => `${text}$${place}${part}`)

type Run = (text: string, values?: Array<unknown>) => Promise<pg.QueryResult>

const queriesOn = (run: Run): Queries => {
  const query: Query = async (texts, ...values) => (await run(textOf(texts), [...values])).rows as never
  return Object.assign(query, { run: async (statements: string) => (await run(statements)).rows })
}

/** Runs the queries of one transaction one after another. */
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
  /** Queries that wait for their turn do not run: they would be outside of the transaction. */
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
      // The default isolation level of the database may differ: then conflicts would be errors.
      await client.query("BEGIN ISOLATION LEVEL READ COMMITTED")
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
      // A connection is not reused if its state is unknown or its server is away: another server may have its address by then.
      client.release(!isOver || isAway(error))
      throw error
    }
  }

/** The socket of a connection, which the driver's types leave out. */
interface Wired {
  readonly connection?: { readonly stream?: { destroy(): void } }
}

const cutOff = (client: pg.ClientBase): void => (client as unknown as Wired).connection?.stream?.destroy()

const cutError = () => new Error("Connection terminated: it was cut")

/** Opens no connection yet. `max`: the maximum number of connections. */
export const connectSql = async (url: string, max: number): Promise<Sql> => {
  const driver = await load()
  const pool = new driver.Pool({ ...optionsOf(driver, url), max })
  // The query that uses the connection reports the error.
  pool.on("error", ignore)
  const clients = new Set<pg.PoolClient>()
  let isCut = false
  pool.on("connect", (client) => {
    client.on("error", ignore)
    clients.add(client)
    if (isCut) cutOff(client)
  })
  pool.on("remove", (client) => clients.delete(client))
  /** The running queries, each with a function that makes it fail. */
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
        // Queries first: a query that waits for a connection would get none from a closed pool.
        await Promise.race([Promise.allSettled(asked.keys()), late])
        await Promise.race([pool.end(), late])
      },
      cut,
    },
  )
}

/** Listens to a channel. `ended` is called when the connection is lost. Rejects if the connection cannot be opened. */
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
