/** Reads web pages as a person sees them: a small interface, so that a test or a remote browser can implement it. */
import type { ExtractedPage } from "./page-script.ts"

/** A page to read. */
export interface PageRequest {
  /** http or https. */
  readonly url: URL
  /** Maximum length of the Markdown, in characters. */
  readonly maxLength: number
  /**
   * Called for each redirect of the page's own document, by its server or by itself, before the target is requested. An
   * error that it throws ends and rejects the visit. Not called for subresources and frames.
   */
  readonly onRedirect?: (from: URL, to: URL) => void
  readonly signal?: AbortSignal
}

/** A rendered page. */
export interface PageContent extends ExtractedPage {
  /** The final URL, after all redirects. */
  readonly url: string
  readonly status: number
  readonly statusText: string
}

/** How handlers read pages that need a browser. `Browser` is one. */
export interface PageReader {
  /**
   * Resolves whatever the status. Rejects with a FetchError (a PrivateAddressError, a download, a missing installation),
   * with Node's error of a connection, with what `onRedirect` throws, and with the signal's reason. Without a signal there
   * is no time limit for the server. Rules for where a page goes are enforced only by `onRedirect`.
   */
  readPage(request: PageRequest): Promise<PageContent>
}
