/** Numbers of lines, results and the like, as models give them. */

/** A whole number from `min` up; `fallback` where none is given. */
export const wholeNumber = (value: number | undefined, fallback: number, min: number): number =>
  Math.max(min, Math.floor(value ?? fallback))
