/**
 * Accepts values by the common keywords alone, so that a first call need not load and compile the library's validator. A value
 * that is not accepted here may still be valid: the library decides, and reports the errors.
 */
import type { JsonSchema } from "./json-schema.ts"
import { patternOf } from "./pattern.ts"
import { isPlainObject } from "./plain-object.ts"

/** Returns `true` only for values that the schema accepts. */
export type PlainCheck = (value: unknown) => boolean

/** Makes the check for one keyword's value, given its schema; undefined if only the library can decide. */
type Keyword = (operand: unknown, schema: JsonSchema) => PlainCheck | undefined

const anything: PlainCheck = () => true
const annotation: Keyword = () => anything
/** If the value has another type, the library rejects the schema. */
const name: Keyword = (operand) => (typeof operand === "string" ? anything : undefined)

const typeChecks: ReadonlyMap<unknown, PlainCheck> = new Map<unknown, PlainCheck>([
  ["string", (value) => typeof value === "string"],
  ["number", Number.isFinite],
  ["integer", Number.isInteger],
  ["boolean", (value) => typeof value === "boolean"],
  ["null", (value) => value === null],
  ["object", isPlainObject],
  ["array", Array.isArray],
])

const isScalar = (value: unknown): boolean =>
  value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value)

/** The length as JSON Schema counts it, in code points. */
const lengthOf = (text: string): number => {
  let length = 0
  for (const _ of text) length += 1
  return length
}

const bound =
  <Value>(
    applies: (value: unknown) => value is Value,
    fits: (value: Value, bound: number) => boolean,
  ): Keyword =>
  (operand) => {
    if (typeof operand !== "number" || !Number.isFinite(operand)) return undefined
    return (value) => !applies(value) || fits(value, operand)
  }

const isString = (value: unknown): value is string => typeof value === "string"
const isNumber = (value: unknown): value is number => typeof value === "number"
const isArray = (value: unknown): value is ReadonlyArray<unknown> => Array.isArray(value)

const every = (checks: ReadonlyArray<PlainCheck | undefined>): PlainCheck | undefined => {
  if (checks.includes(undefined)) return undefined
  const telling = checks.filter((check) => check !== anything) as Array<PlainCheck>
  if (telling.length < 2) return telling[0] ?? anything
  return (value) => {
    for (const check of telling) if (!check(value)) return false
    return true
  }
}

/** The checks of a list of schemas; undefined if the library has to decide on one of them. */
const branches = (list: unknown): Array<PlainCheck> | undefined => {
  if (!Array.isArray(list) || list.length === 0) return undefined
  const checks = list.map((schema) => compile(schema))
  return checks.includes(undefined) ? undefined : (checks as Array<PlainCheck>)
}

const properties: Keyword = (operand) => {
  if (!isPlainObject(operand)) return undefined
  const checks: Array<readonly [string, PlainCheck]> = []
  for (const [key, schema] of Object.entries(operand)) {
    const check = compile(schema)
    // The library ignores this name.
    if (check === undefined || key === "__proto__") return undefined
    checks.push([key, check])
  }
  return (value) => {
    if (!isPlainObject(value)) return true
    for (const [key, check] of checks) {
      if (Object.hasOwn(value, key) && value[key] !== undefined && !check(value[key])) return false
    }
    return true
  }
}

const additionalProperties: Keyword = (operand, schema) => {
  const check = typeof operand === "boolean" ? (): boolean => operand : compile(operand)
  // The patterns also determine which properties are additional.
  if (check === undefined || schema.patternProperties !== undefined) return undefined
  if (operand === true) return anything
  const listed = new Set(isPlainObject(schema.properties) ? Object.keys(schema.properties) : [])
  return (value) =>
    !isPlainObject(value) || Object.keys(value).every((key) => listed.has(key) || check(value[key]))
}

const keywords: Readonly<Record<string, Keyword>> = {
  $schema: name,
  $id: name,
  $comment: annotation,
  title: annotation,
  description: annotation,
  default: annotation,
  examples: annotation,
  deprecated: annotation,
  readOnly: annotation,
  writeOnly: annotation,
  format: name,
  type: (operand) => {
    const checks = [operand].flat().map((type) => typeChecks.get(type))
    if (checks.length === 0 || checks.includes(undefined)) return undefined
    return checks.length === 1 ? checks[0] : (value) => checks.some((check) => check!(value))
  },
  const: (operand) => (isScalar(operand) ? (value) => value === operand : undefined),
  enum: (operand) =>
    Array.isArray(operand) && operand.every(isScalar) && operand.length > 0
      ? (value) => operand.includes(value)
      : undefined,
  minimum: bound(isNumber, (value, least) => value >= least),
  maximum: bound(isNumber, (value, most) => value <= most),
  exclusiveMinimum: bound(isNumber, (value, least) => value > least),
  exclusiveMaximum: bound(isNumber, (value, most) => value < most),
  minLength: bound(isString, (text, least) => text.length >= least && lengthOf(text) >= least),
  maxLength: bound(isString, (text, most) => text.length <= most || lengthOf(text) <= most),
  minItems: bound(isArray, (items, least) => items.length >= least),
  maxItems: bound(isArray, (items, most) => items.length <= most),
  pattern: (operand) => {
    if (typeof operand !== "string") return undefined
    const pattern = patternOf(operand)
    return (value) => typeof value !== "string" || pattern.test(value)
  },
  items: (operand) => {
    const check = compile(operand)
    return check && ((value) => !Array.isArray(value) || value.every(check))
  },
  required: (operand) => {
    if (!Array.isArray(operand) || !operand.every(isString)) return undefined
    return (value) =>
      !isPlainObject(value) || operand.every((key) => Object.hasOwn(value, key) && value[key] !== undefined)
  },
  properties,
  additionalProperties,
  allOf: (operand) => every(branches(operand) ?? [undefined]),
  anyOf: (operand) => {
    const checks = branches(operand)
    return checks && ((value) => checks.some((check) => check(value)))
  },
}

const compile = (schema: unknown): PlainCheck | undefined => {
  if (!isPlainObject(schema)) return undefined
  return every(
    Object.entries(schema).map(([key, operand]) =>
      Object.hasOwn(keywords, key) ? keywords[key]!(operand, schema) : undefined,
    ),
  )
}

/** Undefined if the schema has a keyword that only the library supports, or one that it may reject. */
export const plainCheck = (schema: JsonSchema): PlainCheck | undefined => {
  try {
    return compile(schema)
  } catch {
    // For example, a pattern that does not compile, or a schema that contains itself: the library reports it.
    return undefined
  }
}
