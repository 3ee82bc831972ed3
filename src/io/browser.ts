/**
 * Reads web pages as a person sees them, with one Chromium that starts with the first page and ends after a time without
 * pages, when its owner closes it, or with the process, which it does not keep alive while it is idle.
 */
import { AddressGuard, type AddressGuardOptions } from "./address-guard.ts"
import { type ChromiumOptions, type RunningChromium, startChromium } from "./chromium.ts"
import { FetchError } from "./fetch-error.ts"
import { orAborted } from "./or-aborted.ts"
import type { PageContent, PageReader, PageRequest } from "./page-reader.ts"
import { isLostTab, type VisitOptions, visitPage } from "./page-visit.ts"
import { shownUrl } from "./shown-url.ts"

/** The options of a `Browser`. */
export interface BrowserOptions extends ChromiumOptions, AddressGuardOptions, VisitOptions {
  /** The time without a page after which Chromium is ended, in milliseconds. Default 30,000. */
  readonly idleTimeout?: number
}

/** How long to wait for a tab to close, in milliseconds. A Chromium that hangs closes none. */
const closeTimeout = 2_000

/** One run of Chromium. */
interface Run {
  readonly chromium: Promise<RunningChromium>
  /** Aborted by the owner, also while Chromium starts. */
  readonly closing: AbortController
}

/**
 * A host that exits on a signal must close the browser first, otherwise Chromium's temporary folders remain.
 *
 * @example
 * await using browser = new Browser()
 */
export class Browser implements PageReader, AsyncDisposable {
  private readonly options: BrowserOptions
  private readonly guard: AddressGuard
  private run: Run | undefined
  /** The end of the previous run. */
  private closed = Promise.resolve()
  private readers = 0
  private idle: NodeJS.Timeout | undefined

  /** Does not start Chromium yet. */
  constructor(options: BrowserOptions = {}) {
    this.options = options
    this.guard = new AddressGuard(options)
  }

  async readPage(request: PageRequest): Promise<PageContent> {
    const { url, signal } = request
    signal?.throwIfAborted()
    this.readers++
    clearTimeout(this.idle)
    const run = this.start()
    let hasStarted = false
    try {
      const chromium = await orAborted(run.chromium, signal)
      hasStarted = true
      chromium.ref()
      return await this.readWith(chromium, request)
    } catch (cause) {
      signal?.throwIfAborted()
      const hasEnded = run.closing.signal.aborted || (hasStarted && this.run !== run) || isLostTab(cause)
      throw hasEnded
        ? new FetchError(`The browser ended while it read ${shownUrl(url)}. Try again.`, { cause })
        : cause
    } finally {
      this.readers--
      this.endWhenIdle()
    }
  }

  /** Ends Chromium and all reads in progress. A later `readPage` starts it again. */
  async close(): Promise<void> {
    clearTimeout(this.idle)
    const { run } = this
    if (run !== undefined) {
      this.run = undefined
      run.closing.abort()
      this.closed = run.chromium
        .then((chromium) => {
          // Keep the process alive until Chromium has closed.
          chromium.ref()
          return chromium.close()
        })
        .catch(() => {})
    }
    await this.closed
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  private start(): Run {
    if (this.run !== undefined) return this.run
    const closing = new AbortController()
    // Two Chromiums cannot share a profile.
    const chromium = this.closed.then(() => startChromium(this.options, this.guard, closing.signal))
    const run: Run = { chromium, closing }
    this.run = run
    const forget = () => {
      if (this.run === run) this.run = undefined
    }
    chromium.then((running) => running.onEnd(forget), forget)
    return run
  }

  private endWhenIdle(): void {
    const { run } = this
    if (this.readers > 0 || run === undefined) return
    const isIdle = () => this.readers === 0 && this.run === run
    run.chromium.then(
      (chromium) => isIdle() && chromium.unref(),
      () => {},
    )
    this.idle = setTimeout(() => void this.close(), this.options.idleTimeout ?? 30_000)
    this.idle.unref()
  }

  private async readWith(chromium: RunningChromium, request: PageRequest): Promise<PageContent> {
    const { signal } = request
    const opening = chromium.openTab()
    const tab = await orAborted(opening, signal).catch((cause: unknown) => {
      // Nobody uses a tab that opens late.
      opening.then((late) => late.close()).catch(() => {})
      throw cause
    })
    try {
      return await orAborted(visitPage(tab.page, chromium, request, this.options), signal)
    } finally {
      await settledInTime(tab.close())
    }
  }
}

/** Reads web pages with a Chromium of this machine. The host closes it at shutdown. */
export const localBrowser = new Browser()

const settledInTime = (closing: Promise<void>): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, closeTimeout)
    const settled = () => {
      clearTimeout(timer)
      resolve()
    }
    closing.then(settled, settled)
  })
