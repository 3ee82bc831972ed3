/** Why there is no sandbox, in a sentence that names what is missing. Nothing was run. */
export class SandboxError extends Error {
  override readonly name = "SandboxError"
}
