/** JSON Schemas as compiled checks: their keywords determine their dialect, and errors are reported by path. */

import type { Ajv, ErrorObject, ValidateFunction } from "ajv"
import type { Ajv2020 } from "ajv/dist/2020.js"
import { Coercion } from "./coercion.ts"
import type { JsonSchema } from "./json-schema.ts"
import { patternOf } from "./pattern.ts"
import { isPlainObject } from "./plain-object.ts"
import { countedUnion, dataKeywords, UnionBudget, withCountedUnions } from "./union-budget.ts"

/** The library's validator of one dialect. */
export type AjvClass = typeof Ajv | typeof Ajv2020
type Dialect = "draft-07" | "2020-12"

/** The library takes longer to load than the rest of the core, so only code that needs its checks waits for it. */
const loaders: Readonly<Record<Dialect, () => Promise<AjvClass>>> = {
  "draft-07": async () => (await import("ajv")).Ajv,
  "2020-12": async () => (await import("ajv/dist/2020.js")).Ajv2020,
}
const loaded = new Map<Dialect, AjvClass>()

const loadClass = async (dialect: Dialect): Promise<AjvClass> => {
  const ajvClass = await loaders[dialect]()
  loaded.set(dialect, ajvClass)
  return ajvClass
}

const newKeywords = [
  "prefixItems",
  "unevaluatedProperties",
  "unevaluatedItems",
  "dependentSchemas",
  "dependentRequired",
  "minContains",
  "maxContains",
  "$anchor",
  "$dynamicRef",
]

/** Every key at any depth: keywords and, which is harmless here, names of properties. */
const keysOf = (schema: JsonSchema): Set<string> => {
  const keys = new Set<string>()
  const seen = new Set<unknown>()
  const pending: Array<unknown> = [schema]
  while (pending.length > 0) {
    const value = pending.pop()
    if (typeof value !== "object" || value === null || seen.has(value)) continue
    seen.add(value)
    for (const [key, child] of Object.entries(value)) {
      if (!Array.isArray(value)) keys.add(key)
      pending.push(child)
    }
  }
  return keys
}

/** A schema that does not name its dialect is classified by its keywords; draft-07 if both dialects read it alike. */
const dialectOf = (schema: JsonSchema): Dialect => {
  const { $schema } = schema
  if (typeof $schema === "string") return /20(19|20)-/.test($schema) ? "2020-12" : "draft-07"
  const keys = keysOf(schema)
  return newKeywords.some((keyword) => keys.has(keyword)) ? "2020-12" : "draft-07"
}

/** Whether a branch of a union may contain the union again: trying it may take time exponential in the depth of the parameters. */
const isRecursiveUnion = (schema: JsonSchema): boolean => {
  const keys = keysOf(schema)
  const refers = keys.has("$ref") || keys.has("$dynamicRef")
  return refers && (keys.has("anyOf") || keys.has("oneOf"))
}

/**
 * Replaces repeated subschemas with the same `$id` by references to the first one, because the library rejects them.
 * TypeBox's recursive types repeat their `$id` wherever they are used.
 */
const withUniqueIds = (schema: JsonSchema): JsonSchema => {
  const ids = new Set<string>()
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy)
    if (!isPlainObject(value)) return value
    if (typeof value.$id === "string") {
      if (ids.has(value.$id)) return { $ref: value.$id }
      ids.add(value.$id)
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, child]) => [key, dataKeywords.has(key) ? child : copy(child)]),
    )
  }
  return copy(schema) as JsonSchema
}

const rootKey = "parameters"
const regExp = Object.assign(patternOf, { code: "new RegExp" })

/** One instance per tool, because the schemas of two tools may contain the same `$id`. */
const makeAjv = (ajvClass: AjvClass, schema: JsonSchema, unions: UnionBudget | undefined): Ajv | Ajv2020 => {
  const ajv = new ajvClass({
    strict: false,
    // `NaN` and `Infinity` are not JSON numbers.
    strictNumbers: true,
    logger: false,
    // Listing all errors means following every branch of a union to its end. For a recursive union, the first error is
    // enough.
    allErrors: unions === undefined,
    // Keywords are checked when they are compiled; the meta-schema of an unknown `$schema` could not be loaded.
    meta: false,
    validateSchema: false,
    validateFormats: false,
    ownProperties: true,
    code: { regExp },
  })
  ajv.removeKeyword("id")
  if (unions !== undefined)
    ajv.addKeyword({
      keyword: countedUnion,
      before: "anyOf",
      schema: false,
      errors: false,
      validate: unions.spend,
    })
  ajv.addSchema(schema, rootKey)
  return ajv
}

/** The property that an error refers to, if its path alone does not show it. */
const propertyOf = ({ keyword, params }: ErrorObject): string | undefined => {
  const { missingProperty, additionalProperty, unevaluatedProperty } = params as Record<string, unknown>
  if (keyword === "required" && typeof missingProperty === "string") return missingProperty
  if (typeof additionalProperty === "string") return additionalProperty
  return typeof unevaluatedProperty === "string" ? unevaluatedProperty : undefined
}

const sentenceOf = ({ keyword, message = "is invalid", params }: ErrorObject): string => {
  const { allowedValues, allowedValue } = params as Record<string, unknown>
  if (keyword === "const") return `${message}: ${JSON.stringify(allowedValue)}`
  if (keyword !== "enum" || !Array.isArray(allowedValues)) return message
  return `${message}: ${allowedValues.map((value) => JSON.stringify(value)).join(", ")}`
}

const errorLine = (error: ErrorObject): string => {
  const parts = [error.instancePath.slice(1), propertyOf(error)].filter(Boolean)
  return `${parts.join("/") || "root"}: ${sentenceOf(error)}`
}

/** Compiles a schema once, when it is first needed. Returns a promise if the library has to be loaded first. */
export const compiledOnce = <Check extends object>(
  schema: JsonSchema,
  compile: (ajvClass: AjvClass) => Check,
): (() => Check | Promise<Check>) => {
  let check: Check | undefined
  return () => {
    if (check !== undefined) return check
    const dialect = dialectOf(schema)
    const ajvClass = loaded.get(dialect)
    if (ajvClass === undefined) return loadClass(dialect).then((found) => (check ??= compile(found)))
    check = compile(ajvClass)
    return check
  }
}

/** A JSON Schema that is ready to check and coerce values. */
export interface Shape {
  readonly coercion: Coercion
  /** Whether a value of any type fits. */
  fits(value: unknown): boolean
  /** Whether a value fits and is an object, as parameters are. */
  accepts(value: unknown): boolean
  /** The errors of the last value that did not fit. */
  errors(): Array<string>
}

/** Throws if the schema does not compile. */
export const compileShape = (schema: JsonSchema, ajvClass: AjvClass, fillsDefaults = true): Shape => {
  const unions = isRecursiveUnion(schema) ? new UnionBudget(schema) : undefined
  const unique = unions === undefined ? withUniqueIds(schema) : withCountedUnions(withUniqueIds(schema))
  const ajv = makeAjv(ajvClass, unique, unions)
  const isValid: ValidateFunction = ajv.getSchema(rootKey)!
  const begin = (value: unknown): void => unions?.begin(value)
  const coercion = new Coercion(
    unique,
    (pointer) => ajv.getSchema(`${rootKey}#${pointer}`),
    begin,
    fillsDefaults,
  )
  const fits = (value: unknown): boolean => {
    begin(value)
    return isValid(value) === true
  }
  return {
    coercion,
    fits,
    // A schema without a type accepts anything, but parameters are an object.
    accepts: (value) => fits(value) && isPlainObject(value),
    errors: () => isValid.errors?.map(errorLine) ?? ["root: must be object"],
  }
}
