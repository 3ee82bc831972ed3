/** `stepline ui`: a page to call tools, to watch them, and to answer their questions. */
import { answerEffect } from "../hosts/terminal/answer-effect.ts"
import { serveWeb } from "../hosts/web/server/serve-web.ts"
import { messageOf } from "../text/message-of.ts"
import { agentOfPerson, untilTaken } from "./durable-store.ts"
import { type LocalOptions, localExecutor } from "./local-executor.ts"
import { pageTitle, portOf } from "./page.ts"
import { type PersonOptions, whoOf } from "./person.ts"
import { Stopping } from "./stopping.ts"
import { tell } from "./tell.ts"
import { expectOnlyStore, serveStore } from "./ui-store.ts"
import { UsageError } from "./usage-error.ts"

export interface UiOptions extends LocalOptions, PersonOptions {
  /** A local port. Default: any free one. */
  readonly port?: string
  /** A store whose calls another process runs: the page shows those. Default: none. */
  readonly store?: string
}

/** Serves until it is stopped. Resolves with the exit status. */
export const uiCommand = async ({ port = "0", store, as, ...options }: UiOptions): Promise<number> => {
  const wanted = portOf("--port", port)
  const who = whoOf(as)
  if (store !== undefined) {
    expectOnlyStore(options)
    return serveStore(store, wanted, who)
  }
  const local = await localExecutor(options)
  const { executor, registry, start, close } = local
  const stopping = new Stopping()
  const answered = (async () => {
    for await (const event of executor.events) if (event._tag === "Delegate") answerEffect(event)
  })()
  let started: Promise<void> | undefined
  try {
    await untilTaken([agentOfPerson], local.durable, stopping.signal)
    if (stopping.status !== undefined) return stopping.status
    await using web = await serveWeb(executor, {
      port: wanted,
      title: pageTitle(local),
      tools: registry,
      who,
    }).catch((error) => {
      throw new UsageError(`--port ${port}: ${messageOf(error)}`)
    })
    process.stdout.write(`${web.url}\n`)
    // Not awaited: tools can ask their user on the page before they are ready.
    started = start(web.ui).then((problems) => problems.forEach(tell))
    await stopping.asked
    // Viewers still see how calls end.
    await executor.shutdown()
  } finally {
    await executor.shutdown()
    await answered
    await started
    await close()
    stopping.end()
  }
  return stopping.status ?? 0
}
