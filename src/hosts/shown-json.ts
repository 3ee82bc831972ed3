/** JSON for foreign values, such as parameters, which hosts show and send although JSON may not represent them. */
import { toPlainJson } from "../output/to-plain-json.ts"

/**
 * JSON of a value. A value that JSON cannot represent is copied first: a BigInt becomes its digits, a Map or a Set its
 * contents, and a cycle a note. Never throws.
 */
export const shownJson = (value: unknown, indent?: number): string =>
  wholeJson(value, indent) ?? jsonOf(toPlainJson(value), indent) ?? textOf(value)

/** The value, or a copy that JSON can represent. Never throws. */
export const sentJson = (value: unknown): unknown =>
  wholeJson(value) === undefined ? toPlainJson(value) : value

/** JSON of a value; undefined if there is none, or if a Map or a Set would lose its contents. Never throws. */
export const wholeJson = (value: unknown, indent?: number): string | undefined => {
  const json = jsonOf(value, indent)
  return json === undefined || losesAny(value, json) ? undefined : json
}

const jsonOf = (value: unknown, indent?: number): string | undefined => {
  try {
    return JSON.stringify(value, undefined, indent)
  } catch {
    return undefined
  }
}

/** Whether JSON drops the contents of a Map or a Set, which it writes as `{}`: most texts have none. */
const losesAny = (value: unknown, json: string): boolean => {
  if (!json.includes("{}")) return false
  let isLost = false
  try {
    JSON.stringify(value, (_key, item: unknown) => {
      isLost ||= item instanceof Map || item instanceof Set
      // Strings need not be serialised again.
      return typeof item === "string" ? 0 : item
    })
    return isLost
  } catch {
    return true
  }
}

const textOf = (value: unknown): string => {
  try {
    return String(value)
  } catch {
    return "[cannot be read]"
  }
}
