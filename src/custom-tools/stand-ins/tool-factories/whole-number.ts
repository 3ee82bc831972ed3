/** Numbers from models, such as of lines or results. */

/** Returns an integer of at least `min`; `fallback` if there is no value. */
export const wholeNumber = (value: number | undefined, fallback: number, min: number): number =>
  Math.max(min, Math.floor(value ?? fallback))
