import type { BoundedPattern } from "./bounded-pattern.ts"

/** What is read off a pattern, once: a rule is asked of many commands. */
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
