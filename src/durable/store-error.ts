/** A failure of a store, as a sentence for the host. */
export class StoreError extends Error {
  override readonly name = "StoreError"
}

/** Other processes considered this one dead and run its calls: its changes since then must not be stored. */
export class FencedError extends Error {
  override readonly name = "FencedError"

  constructor() {
    super("Others run the calls of this process now")
  }
}

/** The error of a commit that stored nothing because the store refuses some of its calls. It is tried again without them. */
export class RefusedError extends Error {
  override readonly name = "RefusedError"
  /** Agents whose calls other processes run. */
  readonly agentIds: ReadonlySet<string>
  /** Ids that belong to other calls of the store, or to tasks that it keeps. */
  readonly callIds: ReadonlyArray<string>

  constructor(agentIds: ReadonlyArray<string>, callIds: ReadonlyArray<string>) {
    super("The store refuses these calls")
    this.agentIds = new Set(agentIds)
    this.callIds = callIds
  }
}

/** The error for the host of a process that other processes considered dead. */
export const heldUpError = (): StoreError =>
  new StoreError(
    "This process was held up for so long that others run its calls now. It goes on as a new one, with a new executor",
  )

/** The error for requests to a store that was closed. */
export const closedError = (): Error => new Error("The store was closed: open it again")

/** The error for changes that came too late to be stored while the store was being closed. */
export const closingError = (): Error =>
  new Error("The store was being closed: this was not stored. Open it again, and ask again")

/** The error for changes that were not stored because the store failed until it was closed. */
export const lostError = (): Error =>
  new Error("The store failed until it was closed: this was not stored. Open it again, and ask again")

/** The error for requests that are stored, but were not answered before the store was closed. */
export const unansweredError = (): Error =>
  new Error(
    "The store was closed before this was answered: it may take effect all the same. Open it again, and look",
  )

/** Reports to the host that its store fails, or works again. */
export const tellStoreError = (told: ((error: unknown) => void) | undefined, error: unknown): void => {
  try {
    told?.(error)
  } catch {
    // An error of the host's callback must not end calls.
  }
}
