/** Compiles a pattern as a Unicode one if possible: many existing patterns contain escapes that Unicode patterns do not allow. */
export const patternOf = (source: string, flags = "u"): RegExp => {
  try {
    return new RegExp(source, flags)
  } catch {
    return new RegExp(source)
  }
}
