/** The names in a text, which reads better than a list of quoted words. */
export const names = (text: string): ReadonlyArray<string> => text.trim().split(/\s+/)
