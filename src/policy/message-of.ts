/** The words of what was thrown. A twin of the core's, since policy/ imports nothing of the project. */
export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
