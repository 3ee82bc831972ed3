/** Wraps a function that the whole process shares with a guard. */

type Call = (...args: Array<unknown>) => unknown

/**
 * Has `guard` called instead of a method, with its arguments and a function that calls the original. Does nothing for a
 * missing method.
 */
export const replaceMethod = (
  owner: object,
  name: string,
  guard: (call: Call, args: Array<unknown>) => unknown,
): void => {
  const methods = owner as Record<string, Call | undefined>
  const original = methods[name]
  if (original === undefined) return
  const guarded = function (this: unknown, ...args: Array<unknown>): unknown {
    return guard((...given) => original.apply(this, given), args)
  }
  // Keep the properties that Node stores on its functions, such as for `promisify`.
  methods[name] = Object.defineProperties(guarded, Object.getOwnPropertyDescriptors(original))
}
