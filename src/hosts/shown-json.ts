/** What hosts show and send of values that others made, such as parameters, which need be no JSON. */
import { toPlainJson } from "../output/to-plain-json.ts"

/**
 * JSON of it: of what is none, of a copy that is, in which a BigInt is its digits, a Map or a Set what it holds, and a cycle says
 * so. Never throws.
 */
export const shownJson = (value: unknown, indent?: number): string =>
  wholeJson(value, indent) ?? jsonOf(toPlainJson(value), indent) ?? textOf(value)

/** It, to be sent as JSON; of what is none, a copy that is. Never throws. */
export const sentJson = (value: unknown): unknown =>
  wholeJson(value) === undefined ? toPlainJson(value) : value

/** JSON of it. Undefined for what has none, and where a Map or a Set would lose what it holds. Never throws. */
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

/** Whether its JSON leaves out what a Map or a Set holds. Most texts show that there is none: they have no `{}`. */
const losesAny = (value: unknown, json: string): boolean => {
  if (!json.includes("{}")) return false
  let isLost = false
  try {
    JSON.stringify(value, (_key, item: unknown) => {
      isLost ||= item instanceof Map || item instanceof Set
      // Texts are not written a second time.
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
