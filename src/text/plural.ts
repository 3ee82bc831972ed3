/** Formats a count: `1 file`, `2 files`; `many` for nouns without a plural `s`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`
