/** A failure to get something from the web that is worded: its message can be shown as it stands. */
export class FetchError extends Error {
  override readonly name: string = "FetchError"
}
