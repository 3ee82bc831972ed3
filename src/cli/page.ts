/** The page that a command serves with `--ui`. */
import { homedir } from "node:os"
import { serveWeb, type Web } from "../hosts/web/server/serve-web.ts"
import type { LocalExecutor } from "./local-executor.ts"
import { type PersonOptions, whoOf } from "./person.ts"
import { UsageError } from "./usage-error.ts"

export interface PageOptions extends PersonOptions {
  /** Whether a page is served. */
  readonly ui?: boolean
}

/** A path with `~` for the home folder. */
export const atHome = (folder: string): string => {
  const home = homedir()
  return folder === home || folder.startsWith(`${home}/`) ? `~${folder.slice(home.length)}` : folder
}

export const portOf = (option: string, text: string): number => {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (port <= 65_535) return port
  throw new UsageError(`${option} ${text}: expected a port, 0 for any that is free`)
}

/** The title of an executor's page. */
export const pageTitle = ({ cwd }: Pick<LocalExecutor, "cwd">): string => `stepline in ${atHome(cwd)}`

/** Serves the page if it is requested. Calls `tell` with its address. */
export const openPage = async (
  local: Pick<LocalExecutor, "executor" | "cwd">,
  { ui = false, as }: PageOptions,
  tell: (line: string) => void,
): Promise<Web | undefined> => {
  if (!ui) return undefined
  const web = await serveWeb(local.executor, { title: pageTitle(local), who: whoOf(as) })
  tell(`the page: ${web.url}`)
  return web
}
