/** Names that no foreign tool may have. */

/** The executor answers calls of `resolve` itself, whichever tool has that name. */
export const isTaken = (name: string): boolean => name === "resolve"

export const nameConflict = (name: string): string => `Tool name "${name}" conflicts with existing tool`
