/**
 * Server-sent events for one page. The next one is made when the page has read the last: for a slow page only its position in the
 * log is kept.
 */
import type { ChangeLog } from "./change-log.ts"

/** Milliseconds after which a page connects again. */
const retry = 500

/** The position of the page that sends this `Last-Event-ID`; undefined if it belongs to another log. */
const placeOf = (lastEventId: string | null, epoch: string): number | undefined => {
  const [, ofEpoch, number] = /^([\w-]+)\.(\d{1,15})$/.exec(lastEventId ?? "") ?? []
  return ofEpoch === epoch ? Number(number) : undefined
}

/** What streams of one log have in common. */
export interface EventStreams {
  readonly log: ChangeLog
  /** Distinguishes this log from those of other runs. */
  readonly epoch: string
  /** For each open stream, a function that ends it once everything was sent. */
  readonly open: Set<() => void>
}

/** Streams what a page does not know yet, until it disconnects. */
export const eventStream = ({ log, epoch, open }: EventStreams, request: Request): Response => {
  let place = placeOf(request.headers.get("last-event-id"), epoch)
  let isOver = false
  let wake = () => {}
  const stopNews = log.onNews(() => wake())
  const end = () => {
    isOver = true
    wake()
  }
  const stop = () => {
    stopNews()
    open.delete(end)
  }
  open.add(end)
  // Not every server cancels the stream.
  request.signal.addEventListener("abort", stop, { once: true })
  const encoder = new TextEncoder()
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => controller.enqueue(encoder.encode(`retry: ${retry}\n\n`)),
      pull: async (controller) => {
        let message = log.after(place)
        while (message === undefined && !isOver) {
          await new Promise<void>((resolve) => {
            wake = resolve
          })
          message = log.after(place)
        }
        if (message === undefined) {
          stop()
          return controller.close()
        }
        place = message.number
        const { event, json } = message
        controller.enqueue(encoder.encode(`id: ${epoch}.${place}\nevent: ${event}\ndata: ${json}\n\n`))
      },
      cancel: stop,
    },
    { highWaterMark: 0 },
  )
  return new Response(body, { headers: { "Content-Type": "text/event-stream; charset=utf-8" } })
}
