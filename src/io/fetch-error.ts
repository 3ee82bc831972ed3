/** A failure to fetch from the web whose message can be shown as it is. */
export class FetchError extends Error {
  override readonly name: string = "FetchError"
}
