/**
 * Previews in the order in which calls asked for them. The first is shown until it is closed; none replaces another call's
 * preview.
 */
import type { DelegateCall } from "../../model/options.ts"

export interface PreviewLineOptions {
  /** Closes a preview that is shown, or possibly shown. */
  readonly close: (id: string) => Promise<unknown>
  /** Milliseconds that `show` waits for its turn. */
  readonly maxWait: number
}

/** Shows a preview under an id. Resolves with false if there is no editor. Stops when the signal is aborted. */
export type OpenPreview = (id: string, signal: AbortSignal) => Promise<boolean>

interface Entry {
  readonly id: string
  readonly owner: string
  readonly open: OpenPreview
  readonly controller: AbortController
  started: boolean
  /** Lets the call continue; with an error, as a failure. Only the first use counts. */
  answer(error?: unknown): void
}

type PreviewCall = Pick<DelegateCall, "callId" | "sourceCallId">

/** A staged preview belongs to the call that staged it, even if another call resolves it. */
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
   * Resolves once the preview is shown. After `maxWait` the preview keeps its place and its call continues: a preview ahead
   * of it can stay until its call has ended. A call's second preview replaces its first.
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

  /** Closes the preview of a call, or removes it from the line. */
  async close(call: PreviewCall): Promise<void> {
    const entry = this.find(call)
    if (entry !== undefined) await this.remove(entry)
  }

  async closeAll(): Promise<void> {
    // The visible preview is closed last: no waiting call depends on that.
    for (const entry of this.entries.splice(0).reverse()) await this.end(entry)
  }

  /** Records that the user has closed the preview. */
  wasClosed(id: string): void {
    const at = this.entries.findIndex((entry) => entry.id === id)
    if (at === -1) return
    this.entries.splice(at, 1)[0]!.answer()
    this.advance()
  }

  /** Records that the editor has exited, and its previews are gone. */
  editorHasGone(): void {
    for (const entry of this.entries.filter(({ started }) => started)) this.wasClosed(entry.id)
  }

  private find(call: PreviewCall): Entry | undefined {
    const owner = ownerOf(call)
    return this.entries.find((entry) => entry.owner === owner)
  }

  /** The entry is in the line when this returns, so that an immediate close finds it. */
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
        // An editor that did not answer in time may still show the preview.
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
