import type { BoundedPattern } from "./bounded-pattern.ts"

/** Caches the result of `read` for each pattern, because a rule is applied to many commands. */
export const perPattern = <T extends object>(
  read: (source: string) => T,
): ((pattern: BoundedPattern) => T) => {
  const known = new WeakMap<BoundedPattern, T>()
  return (pattern) => {
    const found = known.get(pattern) ?? read(pattern.source)
    known.set(pattern, found)
    return found
  }
}
