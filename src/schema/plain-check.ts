/**
 * Accepts values by the common keywords alone, so that a first call need not load and compile the library's validator. What is not
 * accepted here may still be valid: the library decides, and tells what is wrong.
 */
import type { JsonSchema } from "./json-schema.ts"
import { patternOf } from "./pattern.ts"
import { isPlainObject } from "./plain-object.ts"

/** `true` only for what the schema accepts. */
export type PlainCheck = (value: unknown) => boolean

/** The check of one keyword's value, with its schema beside it; undefined where only the library can tell. */
type Keyword = (operand: unknown, schema: JsonSchema) => PlainCheck | undefined

const anything: PlainCheck = () => true
const annotation: Keyword = () => anything
/** Of another type, the library refuses the schema. */
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

/** As JSON Schema counts it, in code points. */
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

/** The checks of a list of schemas; undefined where the library has to tell of one. */
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
    // The library passes that name over.
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
  // Which ones are additional depends on the patterns, too.
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

/** Undefined where the schema has a keyword that only the library knows, or one that it may refuse. */
export const plainCheck = (schema: JsonSchema): PlainCheck | undefined => {
  try {
    return compile(schema)
  } catch {
    // Such as a pattern that does not compile, or a schema that contains itself: the library says so.
    return undefined
  }
}
