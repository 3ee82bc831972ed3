/** How the status of a response is shown. */

interface HttpStatus {
  readonly status: number
  /** What the server calls it; may be empty. */
  readonly statusText: string
}

/** A server may send any text. In characters. */
const maxStatusText = 100

/** Such as `404 Not Found`. */
export const statusLine = ({ status, statusText }: HttpStatus): string =>
  `${status} ${statusText.slice(0, maxStatusText)}`.trimEnd()

/** What is said of a status that is a failure: `HTTP error: 404 Not Found`. */
export const httpErrorMessage = (response: HttpStatus): string => `HTTP error: ${statusLine(response)}`
