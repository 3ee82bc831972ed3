/** What is wrong with a store, in a sentence for its host. */
export class StoreError extends Error {
  override readonly name = "StoreError"
}

/** Others run the calls of this process, which they held to be dead: nothing of what it did since may be stored. */
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

/** Other calls of the store, or tasks that are kept there, have the ids of these. */
export class TakenIdsError extends Error {
  override readonly name = "TakenIdsError"
  readonly callIds: ReadonlyArray<string>

  constructor(callIds: ReadonlyArray<string>) {
    super("Other calls of the store have these ids")
    this.callIds = callIds
  }
}

/** Told to the host of a process that others held to be dead. */
export const heldUpError = (): StoreError =>
  new StoreError(
    "This process was held up for so long that others run its calls now. It goes on as a new one, with a new executor",
  )

/** Of what is asked of a store that was closed. */
export const closedError = (): Error => new Error("The store was closed: open it again")

/** Of what came while a store was being closed, too late to be stored. */
export const closingError = (): Error =>
  new Error("The store was being closed: this was not stored. Open it again, and ask again")

/** Of what was not stored, for the store failed when it was closed. */
export const lostError = (): Error =>
  new Error("The store failed until it was closed: this was not stored. Open it again, and ask again")

/** Of what is in the store, and was not answered before that was closed. */
export const unansweredError = (): Error =>
  new Error(
    "The store was closed before this was answered: it may take effect all the same. Open it again, and look",
  )

/** Tells a host whether its store fails. What goes on does so whatever those do who are told. */
export const tellStoreError = (told: ((error: unknown) => void) | undefined, error: unknown): void => {
  try {
    told?.(error)
  } catch {
    // It is not theirs to end the calls.
  }
}
