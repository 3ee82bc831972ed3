/**
 * Server-sent events for one page. The next one is written when the connection has room: for a slow page only its
 * position in the log is kept.
 */
import type { ServerResponse } from "node:http"
import type { ChangeLog } from "./change-log.ts"

/** Milliseconds after which a page connects again. */
const retry = 500

/** The position of the page that sends this `Last-Event-ID`; undefined if it is of another log. */
const placeOf = (lastEventId: string | undefined, epoch: string): number | undefined => {
  const [, ofEpoch, number] = /^([\w-]+)\.(\d{1,15})$/.exec(lastEventId ?? "") ?? []
  return ofEpoch === epoch ? Number(number) : undefined
}

/** Sends the page what it does not know, until it is gone. `epoch` tells this log from those of other runs. */
export const streamEvents = (
  response: ServerResponse,
  log: ChangeLog,
  options: { readonly epoch: string; readonly lastEventId: string | undefined },
): void => {
  const { epoch } = options
  let place = placeOf(options.lastEventId, epoch)
  let hasRoom = true
  const write = () => {
    // An ended response is not gone before the page has read all of it.
    while (hasRoom && !response.writableEnded) {
      const message = log.after(place)
      if (message === undefined) return
      place = message.number
      const { event, json } = message
      hasRoom = response.write(`id: ${epoch}.${place}\nevent: ${event}\ndata: ${json}\n\n`)
    }
  }
  response.writeHead(200, { "Content-Type": "text/event-stream; charset=utf-8", "Cache-Control": "no-store" })
  response.write(`retry: ${retry}\n\n`)
  const stop = log.onNews(write)
  response.on("drain", () => {
    hasRoom = true
    write()
  })
  response.on("close", stop)
  write()
}
