/** What hosts show and send of values that others made, such as parameters, which need be no JSON. */
import { toPlainJson } from "../pipeline/model/to-plain-json.ts"

/** JSON of it: of what is none, of a copy that is, in which a BigInt is its digits and a cycle says so. Never throws. */
export const shownJson = (value: unknown, indent?: number): string => {
  try {
    return JSON.stringify(value, undefined, indent) ?? String(value)
  } catch {
    return JSON.stringify(toPlainJson(value), undefined, indent) ?? String(value)
  }
}

/** It, to be sent as JSON; of what is none, a copy that is. Never throws. */
export const sentJson = (value: unknown): unknown => {
  try {
    JSON.stringify(value)
    return value
  } catch {
    return toPlainJson(value)
  }
}
