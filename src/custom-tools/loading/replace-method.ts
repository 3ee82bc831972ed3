/** Puts a guard in front of a function that the whole process shares. */

type Method = (this: unknown, ...args: Array<unknown>) => unknown

/** `guard` gets the original, bound to nothing, and gives what takes its place; a method that is not there stays away. */
export const replaceMethod = (owner: object, name: string, guard: (original: Method) => Method): void => {
  const methods = owner as Record<string, Method | undefined>
  const original = methods[name]
  if (original === undefined) return
  // What Node keeps on its functions, such as how `promisify` is to treat them, stays there.
  methods[name] = Object.defineProperties(guard(original), Object.getOwnPropertyDescriptors(original))
}
