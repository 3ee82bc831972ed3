/** Combines two objects: the second provides the properties that the first lacks. */

const read = (owner: object, key: PropertyKey): unknown => {
  const value: unknown = Reflect.get(owner, key, owner)
  // Methods keep their `this`, which classes with private fields require.
  return typeof value === "function" ? value.bind(owner) : value
}

/** Spreading the result copies only the first object's own properties. */
export const layered = <A extends object, B extends object>(first: A, second: B): A & B =>
  // A copy as the target, because a proxy of a frozen object must return the original properties.
  new Proxy({ ...first } as A & B, {
    get: (_target, key) => read(key in first ? first : second, key),
    has: (_target, key) => key in first || key in second,
  })

type Values<Getters> = {
  readonly [Name in keyof Getters]: Getters[Name] extends () => infer Value ? Value : never
}

/** Adds them to `target` as own, enumerable properties: tools spread such objects. */
export const withGetters = <Target extends object, Getters extends Readonly<Record<string, () => unknown>>>(
  target: Target,
  getters: Getters,
): Target & Values<Getters> => {
  for (const [name, get] of Object.entries(getters))
    Object.defineProperty(target, name, { get, enumerable: true, configurable: true })
  return target as Target & Values<Getters>
}
