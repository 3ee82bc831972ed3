/** Distinguishes JSON objects from other values. */

/** Whether a value is a JSON object: neither null nor an array. */
export const isPlainObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Whether an object is an instance of a class: neither an object literal, of any realm, nor without a prototype. */
export const isOfClass = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype !== null && Object.getPrototypeOf(prototype) !== null
}
