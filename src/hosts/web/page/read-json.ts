/** The value of a JSON text; undefined for any other text. */
export const readJson = (json: string): unknown => {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
