/** What is wrong with a store, in a sentence for its host. */
export class StoreError extends Error {
  override readonly name = "StoreError"
}
