import { didYouMean } from "../../text/near-name.ts"

/** How a TypeError ends: with what the caller gave instead. */
export const got = (value: unknown): string =>
  `got \`${shown(value)}\` (${value === null ? "null" : typeof value})`

/** A module, and whatever else has no prototype, does not tell itself. */
const shown = (value: unknown): string => {
  try {
    return String(value)
  } catch {
    return Object.prototype.toString.call(value)
  }
}

const expecting =
  (type: string, what: string) =>
  (name: string, value: unknown, whose = ""): void => {
    if (value !== undefined && value !== null && typeof value !== type)
      throw new TypeError(`Expected \`${name}\`${whose} to be ${what}, ${got(value)}`)
  }

/** Throws a TypeError that names it for what is neither left out nor a function. */
export const expectFunction = expecting("function", "a function")

/** Throws a TypeError that names it for what is neither left out nor a string. */
export const expectText = expecting("string", "a string")

/** Throws a TypeError that names it for what is neither left out nor true nor false. */
export const expectFlag = expecting("boolean", "true or false")

/** Throws a TypeError for what is no id, such as a whole event or task. */
export const expectId = (of: "call" | "task", id: unknown): void => {
  if (typeof id !== "string") throw new TypeError(`Expected a ${of}'s id, a string, ${got(id)}`)
}

/** Throws a TypeError for a `by` that names nobody. */
export const expectBy = (by: unknown): void => {
  if (by !== undefined && (typeof by !== "string" || by === ""))
    throw new TypeError(`Expected \`by\` to be the id of who answers, a string that is not empty, ${got(by)}`)
}

/** Throws a TypeError for what is no signal: a call that could not be told of its end would hold its lane for ever. */
export const expectSignal = (signal: unknown): void => {
  if (signal === undefined || signal === null) return
  const { addEventListener, removeEventListener } = signal as Partial<AbortSignal>
  if (typeof addEventListener === "function" && typeof removeEventListener === "function") return
  throw new TypeError(`Expected \`signal\` to be an AbortSignal, ${got(signal)}`)
}

const isEmpty = (value: object): boolean =>
  Object.prototype.toString.call(value) === "[object Object]" && Object.keys(value).length === 0

/** Whether somebody means to be heard by it, or to hear. */
const isAwaited = (value: unknown): boolean =>
  typeof value === "function" || value instanceof AbortSignal || value instanceof AbortController

/** Throws a TypeError for an option that there is not: a misspelt one that is passed over in silence could be a hole. */
export const expectKnown = (whose: string, options: object, known: ReadonlyArray<string>): void => {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue
    const advice = didYouMean(name, known) || ` Options: ${known.join(", ")}`
    throw new TypeError(`${whose} has no option \`${name}\`.${advice}`)
  }
}

/** The same for names that are nearly an option's: an object that is given may hold what is its owner's. */
export const expectSpelled = (whose: string, options: object, known: ReadonlyArray<string>): void => {
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name) && didYouMean(name, known) !== "") expectKnown(whose, { [name]: value }, known)
  }
}

/**
 * Throws a TypeError for options that are none, such as a bare `signal`, or that hold a signal or a listener under another name:
 * nobody would hear it. What else there is costs nothing where it says nothing.
 */
export const expectSignalOptions = (
  of: string,
  options: unknown,
  keys: ReadonlyArray<string> = ["signal"],
): void => {
  const isObject = Object.prototype.toString.call(options) === "[object Object]"
  if (!isObject || Object.values(options as object).some(isAwaited)) expectOptions(of, options, keys)
}

/**
 * Throws a TypeError for options that are none, such as a bare `signal`, or that have none of these keys: as if nothing were
 * said, more would happen than was meant.
 */
export const expectOptions = (of: string, options: unknown, keys: ReadonlyArray<string>): void => {
  if (options === undefined || options === null) return
  if (typeof options === "object" && (keys.some((key) => key in options) || isEmpty(options))) return
  const given =
    typeof options === "object" && Object.keys(options).length > 0
      ? `got \`{ ${Object.keys(options).join(", ")} }\``
      : got(options)
  throw new TypeError(`Expected the options of \`${of}\` to be an object with ${keys.join(", ")}, ${given}`)
}

/** A bound of results in bytes: `Infinity` for false, undefined where nothing is said. Throws a TypeError for anything else. */
export const toOutputBytes = (value: number | false | undefined, whose = ""): number | undefined => {
  if (value === undefined || value === null) return undefined
  if (value === false) return Number.POSITIVE_INFINITY
  if (!Number.isInteger(value) || value < 1)
    throw new TypeError(
      `Expected \`maxOutputBytes\`${whose} to be a positive integer, or false for none, ${got(value)}`,
    )
  return value
}

/** A positive integer. Throws a TypeError that names the option for anything else. */
export const toCount = (name: string, value: number | undefined, fallback: number, whose = ""): number => {
  if (value === undefined) return fallback
  if (!Number.isInteger(value) || value < 1)
    throw new TypeError(`Expected \`${name}\`${whose} to be a positive integer, ${got(value)}`)
  return value
}
