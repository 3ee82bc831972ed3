/** Why a store cannot be opened. */
export class StoreError extends Error {
  override readonly name = "StoreError"
}

/** Others run the calls of this process, which they held to be dead: nothing of what it did since may be stored. */
export class FencedError extends Error {
  override readonly name = "FencedError"
}
