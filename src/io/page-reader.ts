/** What reads web pages as a person sees them: a small interface, so that a test or a remote browser can take its place. */
import type { ExtractedPage } from "./page-script.ts"

/** A page to read. */
export interface PageRequest {
  /** http or https. */
  readonly url: URL
  /** Of the Markdown, in characters. */
  readonly maxLength: number
  /**
   * Told where the page's own document is led, by its server or by itself, before it is asked for there. What it throws ends
   * the visit, and rejects. What a page loads beside its document, frames too, is not told.
   */
  readonly onRedirect?: (from: URL, to: URL) => void
  readonly signal?: AbortSignal
}

/** A page, once it was rendered. */
export interface PageContent extends ExtractedPage {
  /** Where the page is, after all redirects. */
  readonly url: string
  readonly status: number
  readonly statusText: string
}

/** How handlers read pages that need a browser. `Browser` is one. */
export interface PageReader {
  /**
   * Resolves with whatever status the server gave. Rejects with a FetchError (a PrivateAddressError, a download,
   * something that is not installed), with Node's error of a connection, with what `onRedirect` throws, and with the reason
   * of the signal. Without a signal it waits as long as the server does. Rules hold for where a page goes by `onRedirect`
   * alone.
   */
  readPage(request: PageRequest): Promise<PageContent>
}
