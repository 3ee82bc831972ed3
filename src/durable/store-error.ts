/** A fault of a store, as a sentence for the host. */
export class StoreError extends Error {
  override readonly name = "StoreError"
}

/** Other processes took this one for dead and run its calls: nothing that it did since may be stored. */
export class FencedError extends Error {
  override readonly name = "FencedError"

  constructor() {
    super("Others run the calls of this process now")
  }
}

/** Other processes run the calls of these agents. */
export class ForeignAgentsError extends Error {
  override readonly name = "ForeignAgentsError"
  readonly agentIds: ReadonlyArray<string>

  constructor(agentIds: ReadonlyArray<string>) {
    super("Other processes run the calls of these agents")
    this.agentIds = agentIds
  }
}

/** Other calls of the store, or tasks that it keeps, have the ids of these calls. */
export class TakenIdsError extends Error {
  override readonly name = "TakenIdsError"
  readonly callIds: ReadonlyArray<string>

  constructor(callIds: ReadonlyArray<string>) {
    super("Other calls of the store have these ids")
    this.callIds = callIds
  }
}

/** For the host of a process that others took for dead. */
export const heldUpError = (): StoreError =>
  new StoreError(
    "This process was held up for so long that others run its calls now. It goes on as a new one, with a new executor",
  )

/** For requests to a store that was closed. */
export const closedError = (): Error => new Error("The store was closed: open it again")

/** For changes that came while the store was being closed, too late to be stored. */
export const closingError = (): Error =>
  new Error("The store was being closed: this was not stored. Open it again, and ask again")

/** For changes that were not stored, because the store failed until it was closed. */
export const lostError = (): Error =>
  new Error("The store failed until it was closed: this was not stored. Open it again, and ask again")

/** For requests that are stored, but were not answered before the store was closed. */
export const unansweredError = (): Error =>
  new Error(
    "The store was closed before this was answered: it may take effect all the same. Open it again, and look",
  )

/** Tells the host that its store fails, or works again. */
export const tellStoreError = (told: ((error: unknown) => void) | undefined, error: unknown): void => {
  try {
    told?.(error)
  } catch {
    // An error of the host's callback must not end calls.
  }
}
