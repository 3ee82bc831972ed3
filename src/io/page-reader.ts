/** What reads web pages as a person sees them: a small interface, so that a test or a remote browser can take its place. */
import type { ExtractedPage } from "./page-script.ts"

export interface PageRequest {
  /** http or https. */
  readonly url: URL
  /** Of the Markdown, in characters. */
  readonly maxLength: number
  readonly signal?: AbortSignal
}

export interface PageContent extends ExtractedPage {
  /** Where the page is, after all redirects. */
  readonly url: string
  readonly status: number
  readonly statusText: string
}

export interface PageReader {
  /**
   * Resolves with whatever status the server gave. Rejects with a FetchError (a PrivateAddressError, a download,
   * something that is not installed), with Node's error of a connection, and with the reason of the signal. Without a
   * signal it waits as long as the server does.
   */
  readPage(request: PageRequest): Promise<PageContent>
}
