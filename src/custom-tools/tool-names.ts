/** Names that foreign tools cannot have. */

/** The executor answers calls of `resolve` itself, even if a tool has that name. */
export const isTaken = (name: string): boolean => name === "resolve"

export const nameConflict = (name: string): string => `Tool name "${name}" conflicts with existing tool`
