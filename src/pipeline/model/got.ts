/** How a TypeError ends: with what the caller gave instead. */
export const got = (value: unknown): string =>
  `got \`${String(value)}\` (${value === null ? "null" : typeof value})`
