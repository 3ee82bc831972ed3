/** Why a command cannot be staged, or its changes not applied, in a sentence. Nothing was changed. */
export class StagingError extends Error {
  override readonly name = "StagingError"
}
