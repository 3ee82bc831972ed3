import { didYouMean } from "../text/near-name.ts"

/** The end of a TypeError's message: the value that the caller passed instead. */
export const got = (value: unknown): string =>
  `got \`${shown(value)}\` (${value === null ? "null" : typeof value})`

/** `String` throws for a module, and for any other object without a prototype. */
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

/** Throws a TypeError that names the option unless the value is absent or a function. */
export const expectFunction = expecting("function", "a function")

/** Throws a TypeError that names the option unless the value is absent or a string. */
export const expectText = expecting("string", "a string")

/** Throws a TypeError that names the option unless the value is absent or a boolean. */
export const expectFlag = expecting("boolean", "true or false")

/** Throws a TypeError for anything but an id, such as a whole event or task. */
export const expectId = (of: "call" | "task", id: unknown): void => {
  if (typeof id !== "string") throw new TypeError(`Expected a ${of}'s id, a string, ${got(id)}`)
}

/** Throws a TypeError for an invalid `by`: anything but a non-empty string. */
export const expectBy = (by: unknown): void => {
  if (by !== undefined && (typeof by !== "string" || by === ""))
    throw new TypeError(`Expected \`by\` to be the id of who answers, a string that is not empty, ${got(by)}`)
}

/** Throws a TypeError for anything but an AbortSignal: a call that cannot be aborted would hold its lane forever. */
export const expectSignal = (signal: unknown): void => {
  if (signal === undefined || signal === null) return
  const { addEventListener, removeEventListener } = signal as Partial<AbortSignal>
  if (typeof addEventListener === "function" && typeof removeEventListener === "function") return
  throw new TypeError(`Expected \`signal\` to be an AbortSignal, ${got(signal)}`)
}

const isEmpty = (value: object): boolean =>
  Object.prototype.toString.call(value) === "[object Object]" && Object.keys(value).length === 0

/** Whether the value is a listener or a signal, which the caller expects to be used. */
const isAwaited = (value: unknown): boolean =>
  typeof value === "function" || value instanceof AbortSignal || value instanceof AbortController

/** Throws a TypeError for an unknown option: a misspelt one that is silently ignored could be a security hole. */
export const expectKnown = (whose: string, options: object, known: ReadonlyArray<string>): void => {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || known.includes(name)) continue
    const advice = didYouMean(name, known) || ` Options: ${known.join(", ")}`
    throw new TypeError(`${whose} has no option \`${name}\`.${advice}`)
  }
}

/**
 * Like `expectKnown`, but only for names that are nearly an option's, because the object may have other properties of its
 * owner's.
 */
export const expectSpelled = (whose: string, options: object, known: ReadonlyArray<string>): void => {
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name) && didYouMean(name, known) !== "") expectKnown(whose, { [name]: value }, known)
  }
}

/**
 * Throws a TypeError for anything but an options object, such as a bare `signal`, and for a signal or listener under another
 * name, which would be ignored. Other unknown properties are harmless.
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
 * Throws a TypeError for anything but an options object, such as a bare `signal`, and for an object with none of these keys:
 * without options, the call would affect more than was meant.
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

/** Reads a limit of results in bytes: `Infinity` for false, undefined if absent. Throws a TypeError for anything else. */
export const toOutputBytes = (value: number | false | undefined, whose = ""): number | undefined => {
  if (value === undefined || value === null) return undefined
  if (value === false) return Number.POSITIVE_INFINITY
  if (!Number.isInteger(value) || value < 1)
    throw new TypeError(
      `Expected \`maxOutputBytes\`${whose} to be a positive integer, or false for none, ${got(value)}`,
    )
  return value
}

/** Reads a positive integer. Throws a TypeError that names the option for anything else. */
export const toCount = (name: string, value: number | undefined, fallback: number, whose = ""): number => {
  if (value === undefined) return fallback
  if (!Number.isInteger(value) || value < 1)
    throw new TypeError(`Expected \`${name}\`${whose} to be a positive integer, ${got(value)}`)
  return value
}
