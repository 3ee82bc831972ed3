/** A failure of a structural search or edit, with a message for the model: what failed, with which value, what to do next. */
export class StructuralError extends Error {
  override readonly name = "StructuralError"
}
