/** Two objects as one: what the first lacks, the second answers. */

const read = (owner: object, key: PropertyKey): unknown => {
  const value: unknown = Reflect.get(owner, key, owner)
  // Methods keep the object they belong to: classes with private fields insist on it.
  return typeof value === "function" ? value.bind(owner) : value
}

/** Spreading it gives the first one's own properties. */
export const layered = <A extends object, B extends object>(first: A, second: B): A & B =>
  // A copy as the target: a proxy of a frozen object could give nothing but its very properties.
  new Proxy({ ...first } as A & B, {
    get: (_target, key) => read(key in first ? first : second, key),
    has: (_target, key) => key in first || key in second,
  })
