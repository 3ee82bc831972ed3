/** What a JSON text says; undefined for a text that is none. */
export const readJson = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
