/** Splits a list of names at blanks: plain text is easier to read than quoted words. */
export const names = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)
