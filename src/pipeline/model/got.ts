/** How a TypeError ends: with what the caller gave instead. */
export const got = (value: unknown): string =>
  `got \`${String(value)}\` (${value === null ? "null" : typeof value})`

/** Throws a TypeError that names it for what is neither left out nor a function. */
export const expectFunction = (name: string, value: unknown): void => {
  if (value !== undefined && value !== null && typeof value !== "function")
    throw new TypeError(`Expected \`${name}\` to be a function, ${got(value)}`)
}
