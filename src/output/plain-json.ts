/** Tells what is plain JSON: what comes out of `JSON.parse` as it went into `JSON.stringify`. */
import { isOfClass } from "../schema/plain-object.ts"

/** Deeper values may refer to themselves, and are too much for whoever reads them. */
const maxDepth = 512

const nameOf = (value: object): string => {
  const { constructor } = value as { readonly constructor?: unknown }
  return typeof constructor === "function" && constructor.name !== "" ? constructor.name : "object"
}

const article = (name: string): string => (/^[AEIOU]/i.test(name) ? `an ${name}` : `a ${name}`)

/**
 * What is wrong with a value that should be plain JSON, as a sentence's end that begins with its place; undefined for one that
 * is. A property that is undefined is taken for one that is not there. Throws where the value does.
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
