/** Formats the status of a response. */

interface HttpStatus {
  readonly status: number
  /** The server's reason phrase; can be empty. */
  readonly statusText: string
}

/** In characters: a server can send any text. */
const maxStatusText = 100

/** Formats a status, such as `404 Not Found`. */
export const statusLine = ({ status, statusText }: HttpStatus): string =>
  `${status} ${statusText.slice(0, maxStatusText)}`.trimEnd()

/** The message for an error status: `HTTP error: 404 Not Found`. */
export const httpErrorMessage = (response: HttpStatus): string => `HTTP error: ${statusLine(response)}`
