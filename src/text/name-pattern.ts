/** Patterns for names of tools: `*` matches any text. */

/** Whether a name fits one of these patterns. */
export const namesMatching = (names: ReadonlyArray<string>): ((name: string) => boolean) => {
  const patterns = names.map((name) => name.split("*"))
  return (name) => patterns.some((parts) => matches(parts, name))
}

/** Whether a name consists of these parts, in order, with any text between them. */
const matches = ([first = "", ...others]: ReadonlyArray<string>, name: string): boolean => {
  const last = others.pop()
  if (last === undefined) return name === first
  if (!name.startsWith(first) || name.length < first.length + last.length || !name.endsWith(last))
    return false
  const end = name.length - last.length
  let from = first.length
  for (const part of others) {
    const found = name.indexOf(part, from)
    if (found < 0 || found + part.length > end) return false
    from = found + part.length
  }
  return true
}
