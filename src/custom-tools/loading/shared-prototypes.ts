/**
 * What foreign code puts on the prototypes that all objects share stays there for who asks for it, but no longer shows up
 * in every loop over an object: that would break whoever looks through one, such as the validator of parameters.
 */

const shared = [Object.prototype, Array.prototype, Function.prototype]

/** Gives the names that were to be hidden. */
export const hideFromLoops = (): Array<string> =>
  shared.flatMap((prototype) =>
    Object.entries(Object.getOwnPropertyDescriptors(prototype))
      .filter(([, { enumerable }]) => enumerable === true)
      .filter(([name]) => Reflect.defineProperty(prototype, name, { enumerable: false }))
      .map(([name]) => name),
  )
