/** `1 file`, `2 files`; `many` for nouns that take no `s`. */
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`
