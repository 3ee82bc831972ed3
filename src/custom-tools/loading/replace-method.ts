/** Wraps a function that the whole process shares with a guard. */

type Method = (this: unknown, ...args: Array<unknown>) => unknown

/** `guard` receives the unbound original, and returns its replacement. Does nothing for a missing method. */
export const replaceMethod = (owner: object, name: string, guard: (original: Method) => Method): void => {
  const methods = owner as Record<string, Method | undefined>
  const original = methods[name]
  if (original === undefined) return
  // Keep the properties that Node stores on its functions, such as for `promisify`.
  methods[name] = Object.defineProperties(guard(original), Object.getOwnPropertyDescriptors(original))
}
