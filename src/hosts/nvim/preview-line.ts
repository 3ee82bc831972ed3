/**
 * Previews in the order in which calls asked for them. The first one is on show until it is closed; none replaces that
 * of another call.
 */
import type { DelegateCall } from "../../pipeline/model/options.ts"

export interface PreviewLineOptions {
  /** Closes a preview that was shown, or may have been. */
  readonly close: (id: string) => Promise<unknown>
  /** How long `show` waits for its turn, in milliseconds. */
  readonly maxWait: number
}

/** Shows a preview under an id. False where there is no editor to show it in. The signal tells it to stop trying. */
export type OpenPreview = (id: string, signal: AbortSignal) => Promise<boolean>

interface Entry {
  readonly id: string
  readonly owner: string
  readonly open: OpenPreview
  readonly controller: AbortController
  started: boolean
  /** Lets the call go on; with an error, as a failure. Only its first call counts. */
  answer(error?: unknown): void
}

type PreviewCall = Pick<DelegateCall, "callId" | "sourceCallId">

/** What a call staged is still its own where another call resolves it. */
const ownerOf = ({ callId, sourceCallId }: PreviewCall): string => sourceCallId ?? callId

export class PreviewLine {
  private readonly options: PreviewLineOptions
  private readonly entries: Array<Entry> = []
  private readonly prefix = crypto.randomUUID()
  private count = 0

  constructor(options: PreviewLineOptions) {
    this.options = options
  }

  /**
   * Resolves once the preview is on show. One that waits in vain keeps its place and lets its call go on: a preview
   * that another one waits for may stay until the call behind it has ended. A call's second preview takes the place of
   * its first.
   */
  async show(call: DelegateCall, open: OpenPreview): Promise<void> {
    const { signal } = call
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      this.count += 1
      const onWaited = () => {
        if (!entry.started) entry.answer()
      }
      const timer = setTimeout(onWaited, this.options.maxWait)
      const onAbort = () => {
        entry.answer(signal.reason)
        void this.remove(entry).catch(() => {})
      }
      const entry: Entry = {
        id: `${this.prefix}:${this.count}`,
        owner: ownerOf(call),
        open,
        controller: new AbortController(),
        started: false,
        answer: (error) => {
          clearTimeout(timer)
          signal.removeEventListener("abort", onAbort)
          if (error === undefined) resolve()
          else reject(error)
        },
      }
      signal.addEventListener("abort", onAbort)
      this.enter(entry)
    })
  }

  /** Closes what the call shows, or takes it out of the line. */
  async close(call: PreviewCall): Promise<void> {
    const entry = this.find(call)
    if (entry !== undefined) await this.remove(entry)
  }

  async closeAll(): Promise<void> {
    // The one on show comes last: nobody who waits depends on its closing.
    for (const entry of this.entries.splice(0).reverse()) await this.end(entry)
  }

  /** The user has closed it. */
  wasClosed(id: string): void {
    const at = this.entries.findIndex((entry) => entry.id === id)
    if (at === -1) return
    this.entries.splice(at, 1)[0]!.answer()
    this.advance()
  }

  /** The editor has gone, and with it what it showed. */
  editorHasGone(): void {
    for (const entry of this.entries.filter(({ started }) => started)) this.wasClosed(entry.id)
  }

  private find(call: PreviewCall): Entry | undefined {
    const owner = ownerOf(call)
    return this.entries.find((entry) => entry.owner === owner)
  }

  /** It is in the line when this returns: whoever closes it at once must find it. */
  private enter(entry: Entry): void {
    const at = this.entries.findIndex(({ owner }) => owner === entry.owner)
    if (at === -1) {
      this.entries.push(entry)
      return this.advance()
    }
    const [former] = this.entries.splice(at, 1, entry)
    this.end(former!).then(
      () => this.advance(),
      (error: unknown) => {
        entry.answer(error)
        void this.remove(entry).catch(() => {})
      },
    )
  }

  private advance(): void {
    const entry = this.entries[0]
    if (entry === undefined || entry.started) return
    entry.started = true
    entry.open(entry.id, entry.controller.signal).then(
      (isShown) => {
        if (isShown) entry.answer()
        else this.wasClosed(entry.id)
      },
      (error: unknown) => {
        entry.answer(error)
        // An editor that did not answer in time may show it yet.
        void this.remove(entry).catch(() => {})
      },
    )
  }

  private async remove(entry: Entry): Promise<void> {
    const at = this.entries.indexOf(entry)
    if (at === -1) return
    this.entries.splice(at, 1)
    try {
      await this.end(entry)
    } finally {
      this.advance()
    }
  }

  private async end(entry: Entry): Promise<void> {
    entry.answer()
    entry.controller.abort()
    if (entry.started) await this.options.close(entry.id)
  }
}
