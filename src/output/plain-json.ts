/** Recognizes plain JSON: values that `JSON.parse` restores exactly as they were passed to `JSON.stringify`. */
import { isOfClass } from "../schema/plain-object.ts"

/** Deeper values may refer to themselves, and are too deep for their readers. */
const maxDepth = 512

const nameOf = (value: object): string => {
  const { constructor } = value as { readonly constructor?: unknown }
  return typeof constructor === "function" && constructor.name !== "" ? constructor.name : "object"
}

const article = (name: string): string => (/^[AEIOU]/i.test(name) ? `an ${name}` : `a ${name}`)

/**
 * The fault of a value that should be plain JSON, as the end of a sentence that begins with its place; undefined if there is
 * none. An undefined property counts as absent. Throws if reading the value throws.
 */
export const jsonFault = (value: unknown, place: string, depth = 0): string | undefined => {
  switch (typeof value) {
    case "string":
    case "boolean":
      return undefined
    case "number":
      return Number.isFinite(value) ? undefined : `\`${place}\` is ${value}`
    case "object":
      break
    default:
      return `\`${place}\` is ${value === undefined ? "undefined" : article(typeof value)}`
  }
  if (value === null) return undefined
  if (depth === maxDepth) return "it is nested too deeply, or refers to itself"
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) {
      const fault = jsonFault(value[index], `${place}[${index}]`, depth + 1)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  if (isOfClass(value)) return `\`${place}\` is ${article(nameOf(value))}`
  for (const [key, each] of Object.entries(value)) {
    const fault = each === undefined ? undefined : jsonFault(each, `${place}.${key}`, depth + 1)
    if (fault !== undefined) return fault
  }
  return undefined
}
