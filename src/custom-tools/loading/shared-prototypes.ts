/**
 * Makes properties that foreign code adds to shared prototypes non-enumerable: they can still be read, but do not appear in
 * loops over objects, which would break code such as the validator of parameters.
 */

const shared = [Object.prototype, Array.prototype, Function.prototype]

/** Returns the names that were hidden. */
export const hideFromLoops = (): Array<string> =>
  shared.flatMap((prototype) =>
    Object.entries(Object.getOwnPropertyDescriptors(prototype))
      .filter(([, { enumerable }]) => enumerable === true)
      .filter(([name]) => Reflect.defineProperty(prototype, name, { enumerable: false }))
      .map(([name]) => name),
  )
