/** JSON Schemas as compiled checks: their dialect is told by their keywords, and what is wrong is told by path. */

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

/** The library takes longer to load than the rest of the core: only what its checks are needed for waits for it. */
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

/** Every key at whatever depth: keywords, and names of properties, which do no harm here. */
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

/** A schema that does not name its dialect tells it by its keywords; where it uses none, draft-07 reads both. */
const dialectOf = (schema: JsonSchema): Dialect => {
  const { $schema } = schema
  if (typeof $schema === "string") return /20(19|20)-/.test($schema) ? "2020-12" : "draft-07"
  const keys = keysOf(schema)
  return newKeywords.some((keyword) => keys.has(keyword)) ? "2020-12" : "draft-07"
}

/** Whether a branch of a union may hold the union again: to try it may take time exponential in the depth of what a model sent. */
const isRecursiveUnion = (schema: JsonSchema): boolean => {
  const keys = keysOf(schema)
  const refers = keys.has("$ref") || keys.has("$dynamicRef")
  return refers && (keys.has("anyOf") || keys.has("oneOf"))
}

/**
 * The library refuses a second subschema of the same `$id`, which TypeBox's recursive types give wherever they are used
 * twice: it becomes a reference to the first.
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

/** An instance a tool: the same `$id` may stand in the schemas of two tools. */
const makeAjv = (ajvClass: AjvClass, schema: JsonSchema, unions: UnionBudget | undefined): Ajv | Ajv2020 => {
  const ajv = new ajvClass({
    strict: false,
    // `NaN` and `Infinity` are no numbers of JSON.
    strictNumbers: true,
    logger: false,
    // To list all errors, every branch of a union is followed to its end. Of a recursive one, the first error has to do.
    allErrors: unions === undefined,
    // Keywords are checked as they are compiled; the meta-schema of an unheard-of `$schema` could not be.
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

/** The property an error is about, where the path alone does not tell. */
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

/** What is made once of a schema, when it is first needed. A promise where the library has to be loaded first. */
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

/** A JSON Schema, ready to bring values into its shape. */
export interface Shape {
  readonly coercion: Coercion
  /** Whether a value fits, whatever it is. */
  fits(value: unknown): boolean
  /** Whether a value fits, and is an object, as parameters are. */
  accepts(value: unknown): boolean
  /** What the last value lacked that did not fit. */
  errors(): Array<string>
}

/** Throws where the schema does not compile. */
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
    // A schema without a type lets anything through, but parameters are an object.
    accepts: (value) => fits(value) && isPlainObject(value),
    errors: () => isValid.errors?.map(errorLine) ?? ["root: must be object"],
  }
}
