/** Patterns are Unicode ones where they can be: many in the wild escape what Unicode patterns must not. */
export const patternOf = (source: string, flags = "u"): RegExp => {
  try {
    return new RegExp(source, flags)
  } catch {
    return new RegExp(source)
  }
}
