/** Properties that are evaluated each time they are read. */

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
