/** Removes characters at the end of a text. */

/**
 * Removes all trailing occurrences of a character. `character` is one UTF-16 unit. Linear, unlike a pattern such as `/\n+$/`,
 * which is tried again from each of them.
 */
export const withoutTrailing = (text: string, character: string): string => {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}
