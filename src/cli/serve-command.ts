/** `stepline serve`: lets a host in another language drive an executor over stdin and stdout. */
import { syncBuiltinESMExports } from "node:module"
import { guardStdout } from "../custom-tools/loading/standard-streams.ts"
import type { Session } from "../hosts/serve/initialize.ts"
import type { LineOutput } from "../hosts/serve/line-writer.ts"
import type { Opened } from "../hosts/serve/serve-host.ts"
import { ServeHost } from "../hosts/serve/serve-host.ts"
import type { Web } from "../hosts/web/server/serve-web.ts"
import { type LocalExecutor, type LocalOptions, localExecutor } from "./local-executor.ts"
import { openPage, type PageOptions } from "./page.ts"
import { Stopping } from "./stopping.ts"
import { tell } from "./tell.ts"
import { UsageError } from "./usage-error.ts"

/** Reserves stdout for the protocol: everything else that is printed goes to stderr from now on. */
const takeStdout = (): LineOutput => {
  const { stdout } = process
  const write = stdout.write.bind(stdout) as (text: string, taken: () => void) => boolean
  // Not `drain`: it is emitted only after a write that exceeded the buffer, and others can follow it.
  let taken = () => {}
  guardStdout(() => true)
  syncBuiltinESMExports()
  return {
    write: (text) => write(text, () => taken()),
    get pending() {
      return stdout.destroyed || stdout.writableEnded ? 0 : stdout.writableLength
    },
    onRoom: (listener) => {
      taken = listener
      for (const event of ["close", "error"]) stdout.on(event, listener)
    },
  }
}

/** Resolves with the exit status. */
export const serveCommand = async (options: LocalOptions & PageOptions, version: string): Promise<number> => {
  let local: LocalExecutor | undefined
  let page: Web | undefined
  const open = async ({ options: settings, filters }: Session): Promise<Opened> => {
    const { cwd = options.cwd, ...rest } = settings
    // stdin belongs to the client.
    const placed = { ...options, mayAsk: false, ...(cwd !== undefined && { cwd }) }
    local = await localExecutor(placed, { settings: rest, rules: filters })
    for (const problem of await local.start()) tell(problem)
    page = await openPage(local, options, tell)
    return local
  }
  const host = new ServeHost({
    version,
    input: process.stdin,
    output: takeStdout(),
    open,
    isClientsFault: (error) => error instanceof UsageError,
  })
  const stopping = new Stopping()
  void stopping.asked.then(() => host.stop())
  await host.run()
  await page?.close()
  await local?.close()
  stopping.end()
  return stopping.status ?? 0
}
