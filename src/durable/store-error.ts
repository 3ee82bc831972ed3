/** What is wrong with a store, in a sentence for its host. */
export class StoreError extends Error {
  override readonly name = "StoreError"
}

/** Others run the calls of this process, which they held to be dead: nothing of what it did since may be stored. */
export class FencedError extends Error {
  override readonly name = "FencedError"
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
