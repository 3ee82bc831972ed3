/** A text without what stands at its end. */

/**
 * Without the characters of this kind at its end. `character` is one UTF-16 unit. Linear, where a pattern such as `/\n+$/` is tried
 * from each of them anew.
 */
export const withoutTrailing = (text: string, character: string): string => {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}
