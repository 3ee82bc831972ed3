/** Serializes equal values to the same text: names sorted, no blanks. */

/** Dates, maps and the like do not show their contents. */
const isPlain = (value: unknown): value is object => {
  if (typeof value !== "object" || value === null) return false
  const prototype = Object.getPrototypeOf(value) as object | null
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

const write = (value: unknown): string => {
  if (Array.isArray(value)) return `[${Array.from(value, write).join(",")}]`
  if (isPlain(value)) {
    const entries = Object.entries(value).filter(([, item]) => item !== undefined)
    const sorted = entries.sort(([one], [other]) => (one < other ? -1 : 1))
    return `{${sorted.map(([name, item]) => `${JSON.stringify(name)}:${write(item)}`).join(",")}}`
  }
  const isJson = value === null || /^(string|boolean)$/.test(typeof value) || Number.isFinite(value)
  if (!isJson) throw new TypeError("It is no JSON.")
  return JSON.stringify(value)
}

/** Throws for a value that is not JSON: a function, a cycle, NaN. */
export const canonicalJson = (value: unknown): string => write(value)
