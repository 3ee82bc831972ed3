/** The conversion of a single value, if a schema requires another type than the value has. */

import type { JsonSchema } from "./json-schema.ts"
import { isPlainObject } from "./plain-object.ts"

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const numberPattern = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

const toNumber = (value: unknown): unknown => {
  if (typeof value !== "string" || !numberPattern.test(value)) return value
  const number = Number(value)
  // A number that loses digits, such as a long id, is not the number that was written.
  if (!Number.isFinite(number) || (Number.isInteger(number) && !Number.isSafeInteger(number))) return value
  return number
}

const toArray = (value: unknown): unknown => {
  if (value === null || value === undefined || Array.isArray(value)) return value
  const parsed = typeof value === "string" ? parseJson(value) : undefined
  return Array.isArray(parsed) ? parsed : [value]
}

/** Parses an object that was written as a string. */
export const toObject = (value: unknown): unknown => {
  const parsed = typeof value === "string" ? parseJson(value) : undefined
  return isPlainObject(parsed) ? parsed : value
}

const toType = (type: unknown, value: unknown): unknown => {
  switch (type) {
    case "number":
    case "integer":
      return toNumber(value)
    case "boolean":
      if (value === "true") return true
      return value === "false" ? false : value
    case "string":
      return typeof value === "boolean" || (typeof value === "number" && Number.isFinite(value))
        ? String(value)
        : value
    case "array":
      return toArray(value)
    case "object":
      return toObject(value)
    default:
      return value
  }
}

const hasType = (type: unknown, value: unknown): boolean => {
  switch (type) {
    case "integer":
      return Number.isInteger(value)
    case "array":
      return Array.isArray(value)
    case "object":
      return isPlainObject(value)
    case "null":
      return value === null
    default:
      return typeof value === type
  }
}

/** The only distinct value; undefined if there is none, or more than one. */
export const onlyOne = (values: ReadonlyArray<unknown>): { readonly value: unknown } | undefined => {
  const [first, ...rest] = values
  return values.length > 0 && rest.every((value) => Object.is(value, first)) ? { value: first } : undefined
}

/** The value in one of the types that the schema allows, if the conversion is unambiguous. */
export const coerceType = (schema: JsonSchema, value: unknown): unknown => {
  if (schema.type === undefined || (schema.nullable === true && value === null)) return value
  const types = [schema.type].flat()
  if (types.some((type) => hasType(type, value))) return value
  const results = types.map((type) => toType(type, value)).filter((result) => !Object.is(result, value))
  const result = onlyOne(results)
  return result === undefined ? value : result.value
}

/** Converts `"5"` if only 5 is allowed, and vice versa. */
export const coerceEnum = (schema: JsonSchema, value: unknown): unknown => {
  const allowed = Object.hasOwn(schema, "const") ? [schema.const] : schema.enum
  if (!Array.isArray(allowed) || schema.type !== undefined || typeof value === "object") return value
  if (allowed.includes(value)) return value
  const alike = allowed.filter(
    (member) => ["string", "number", "boolean"].includes(typeof member) && String(member) === String(value),
  )
  return onlyOne(alike)?.value ?? value
}
