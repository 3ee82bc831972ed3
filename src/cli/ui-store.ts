/** `stepline ui --store`: a page of the calls that another process runs. */
import { resolve } from "node:path"
import { serveWeb } from "../hosts/web/server/serve-web.ts"
import { messageOf } from "../text/message-of.ts"
import { databaseName } from "./database-name.ts"
import { atHome } from "./page.ts"
import { Stopping } from "./stopping.ts"
import { UsageError } from "./usage-error.ts"

const flagOf = (name: string): string => {
  const words = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  return name === "discovery" ? "--no-discovery" : `--${words}`
}

/** `discovery` is true by default. */
const isGiven = ([name, value]: readonly [string, unknown]): boolean =>
  value !== undefined && !(name === "discovery" && value === true)

/** Throws a UsageError for options that concern running calls. */
export const expectOnlyStore = (options: object): void => {
  const other = Object.entries(options).find(isGiven)
  if (other === undefined) return
  const [name] = other
  if (name === "durable")
    throw new UsageError(
      "--durable runs the calls of a store, and --store shows those that another process runs: give one of both",
    )
  throw new UsageError(
    `--store shows calls that another process runs: ${flagOf(name)} is for that process, so leave it out here`,
  )
}

/** The title of the page. */
export const storeTitle = (store: string): string =>
  `stepline, calls of ${databaseName(store) ?? atHome(resolve(store.replace(/^sqlite:/i, "")))}`

/** Serves until it is stopped. Resolves with the exit status. */
export const serveStore = async (
  store: string,
  port: number,
  who: () => string | undefined,
): Promise<number> => {
  const { openDurableExecutor, StoreError } = await import("../durable/index.ts")
  const client = await openDurableExecutor({ store, runner: false }).catch((error: unknown) => {
    throw error instanceof StoreError ? new UsageError(`--store: ${error.message}`) : error
  })
  const stopping = new Stopping()
  try {
    await using web = await serveWeb(client, { port, title: storeTitle(store), who }).catch((error) => {
      throw new UsageError(`--port ${port}: ${messageOf(error)}`)
    })
    process.stdout.write(`${web.url}\n`)
    await stopping.asked
  } finally {
    await client.close()
    stopping.end()
  }
  return stopping.status ?? 0
}
