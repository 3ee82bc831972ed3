/** A failure of a structural search or edit, worded for the model: what failed, with which value, what to do next. */
export class StructuralError extends Error {
  override readonly name = "StructuralError"
}
