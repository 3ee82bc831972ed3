/** Checks a call's parameters against its tool's JSON Schema, after unambiguous coercion. Compiled once a tool. */

import type { Ajv, ErrorObject, ValidateFunction } from "ajv"
import type { Ajv2020 } from "ajv/dist/2020.js"
import { messageOf } from "../model/failure.ts"
import { type Coercion, isPlainObject, makeCoercion, type SchemaObject } from "./coercion.ts"

/** Parameters that do not fit. The message tells the model what is wrong, by path, and what was received. */
export interface InvalidParameters {
  readonly _tag: "Invalid"
  readonly message: string
}

/** What came of a validation. `params` are those to run with, as JSON: coerced, and with their defaults. */
export type ParameterCheck = { readonly _tag: "Valid"; readonly params: unknown } | InvalidParameters

/** A tool's schema, ready to check parameters with. */
export interface CompiledParameters {
  /** Compiles the schema ahead of the first call: what changes the globals later cannot break that any more. */
  compile(): Promise<void>
  /** Gives a promise only where the validator's library has to be loaded first, or a schema's own check takes time. */
  validate(params: unknown): ParameterCheck | Promise<ParameterCheck>
}

type Check = (params: unknown) => ParameterCheck | Promise<ParameterCheck>

/** What takes the place of the check against the JSON Schema alone, for schemas that have a check of their own. */
export type OwnCheck = ((shape: Shape) => Check) | undefined
type AjvClass = typeof Ajv | typeof Ajv2020
type Dialect = "draft-07" | "2020-12"

/** The library takes longer to load than the rest of the core, so it waits for the first call. */
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
const keysOf = (schema: SchemaObject): Set<string> => {
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
const dialectOf = (schema: SchemaObject): Dialect => {
  const { $schema } = schema
  if (typeof $schema === "string") return /20(19|20)-/.test($schema) ? "2020-12" : "draft-07"
  const keys = keysOf(schema)
  return newKeywords.some((keyword) => keys.has(keyword)) ? "2020-12" : "draft-07"
}

/**
 * To list all errors, every branch of a union is followed to its end. Where a branch holds the union again, that takes
 * time exponential in the depth of what a model sent; the first error has to do.
 */
const listsAllErrors = (schema: SchemaObject): boolean => {
  const keys = keysOf(schema)
  const refers = keys.has("$ref") || keys.has("$dynamicRef")
  return !(refers && (keys.has("anyOf") || keys.has("oneOf")))
}

/** Keywords whose values are data, not schemas. */
const dataKeywords = new Set(["const", "default", "enum", "examples"])

/**
 * The library refuses a second subschema of the same `$id`, which TypeBox's recursive types give wherever they are used
 * twice: it becomes a reference to the first.
 */
const withUniqueIds = (schema: SchemaObject): SchemaObject => {
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
  return copy(schema) as SchemaObject
}

/** Patterns are Unicode ones where they can be: many in the wild escape what Unicode patterns must not. */
const tolerantRegExp = Object.assign(
  (pattern: string, flags: string): RegExp => {
    try {
      return new RegExp(pattern, flags)
    } catch {
      return new RegExp(pattern)
    }
  },
  { code: "new RegExp" },
)

const rootKey = "parameters"

/** An instance a tool: the same `$id` may stand in the schemas of two tools. */
const makeAjv = (ajvClass: AjvClass, schema: SchemaObject): Ajv | Ajv2020 => {
  const ajv = new ajvClass({
    strict: false,
    logger: false,
    allErrors: listsAllErrors(schema),
    // Keywords are checked as they are compiled; the meta-schema of an unheard-of `$schema` could not be.
    meta: false,
    validateSchema: false,
    validateFormats: false,
    ownProperties: true,
    code: { regExp: tolerantRegExp },
  })
  ajv.removeKeyword("id")
  ajv.addSchema(schema, rootKey)
  return ajv
}

const maxErrors = 20
const maxArguments = 10_000

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

const showArguments = (params: unknown): string => {
  let json: string
  try {
    json = JSON.stringify(params, null, 2) ?? "undefined"
  } catch {
    return "(cannot be shown as JSON)"
  }
  if (json.length <= maxArguments) return json
  return `${json.slice(0, maxArguments)}\n… (truncated, ${json.length} characters in all)`
}

/** The failure that a model is told of: a line for each error, and what was received, both bounded. */
export const invalidParameters = (
  toolName: string,
  errors: Iterable<string>,
  params: unknown,
): InvalidParameters => {
  const lines = [...new Set(errors)]
  const shown = lines.slice(0, maxErrors)
  if (lines.length > maxErrors) shown.push(`… and ${lines.length - maxErrors} more`)
  const list = shown.map((line) => `  - ${line}`).join("\n")
  const message = `Validation failed for tool "${toolName}":\n${list}\n\nReceived arguments:\n${showArguments(params)}`
  return { _tag: "Invalid", message }
}

/** A JSON Schema, ready to bring values into its shape. */
export interface Shape {
  readonly coercion: Coercion
  accepts(value: unknown): boolean
  /** What the last value lacked that was not accepted. */
  errors(): Array<string>
}

const compileShape = (schema: SchemaObject, ajvClass: AjvClass): Shape => {
  const unique = withUniqueIds(schema)
  const ajv = makeAjv(ajvClass, unique)
  const isValid: ValidateFunction = ajv.getSchema(rootKey)!
  const coercion = makeCoercion(unique, (pointer) => ajv.getSchema(`${rootKey}#${pointer}`))
  return {
    coercion,
    // A schema without a type lets anything through, but parameters are an object.
    accepts: (value) => isValid(value) && isPlainObject(value),
    errors: () => isValid.errors?.map(errorLine) ?? ["root: must be object"],
  }
}

const checkShape =
  (toolName: string, { coercion, accepts, errors }: Shape): Check =>
  (received) => {
    const params = coercion.fillDefaults(received ?? {})
    if (accepts(params)) return { _tag: "Valid", params }
    const coerced = coercion.fillDefaults(coercion.coerce(params))
    if (accepts(coerced)) return { _tag: "Valid", params: coerced }
    return invalidParameters(toolName, errors(), received)
  }

/** Reading them took more stack than there is, or a property could not be read at all. */
const unreadable = (toolName: string, error: unknown, received: unknown): InvalidParameters => {
  const reason = error instanceof RangeError ? "is nested too deeply, or refers to itself" : "cannot be read"
  return invalidParameters(toolName, [`root: ${reason}`], received)
}

const compileCheck = (toolName: string, schema: SchemaObject, ajvClass: AjvClass, own: OwnCheck): Check => {
  let check: Check
  try {
    const shape = compileShape(schema, ajvClass)
    check = own === undefined ? checkShape(toolName, shape) : own(shape)
  } catch (error) {
    const reason = messageOf(error)
    const message = `Tool "${toolName}" has an invalid parameter schema: ${reason}`
    return () => ({ _tag: "Invalid", message })
  }
  return (received) => {
    try {
      return check(received)
    } catch (error) {
      return unreadable(toolName, error, received)
    }
  }
}

/**
 * Prepares the check of a tool's parameters; nothing is compiled before the first call, unless `compile` is called.
 *
 * - What is valid as it stands passes as the same object, but for defaults of the schema, which are filled in.
 * - Else it is coerced where that is unambiguous, and checked again. What the caller gave is never changed.
 * - A schema that does not compile makes every call Invalid.
 * - `own` replaces the check: what a library's schema says of itself.
 */
export const compileParameters = (
  toolName: string,
  schema: SchemaObject,
  own?: OwnCheck,
): CompiledParameters => {
  let check: Check | undefined
  const compiled = (): Check | Promise<Check> => {
    if (check !== undefined) return check
    const dialect = dialectOf(schema)
    const ajvClass = loaded.get(dialect)
    if (ajvClass === undefined) {
      return loadClass(dialect).then((found) => {
        check ??= compileCheck(toolName, schema, found, own)
        return check
      })
    }
    check = compileCheck(toolName, schema, ajvClass, own)
    return check
  }
  return {
    compile: async () => {
      await compiled()
    },
    validate: (params) => {
      const ready = compiled()
      return ready instanceof Promise ? ready.then((check) => check(params)) : ready(params)
    },
  }
}

/** The same check for a tool that rewrites what it is sent first. */
export const preparing = (
  toolName: string,
  prepare: (params: unknown) => unknown,
  { compile, validate }: CompiledParameters,
): CompiledParameters => ({
  compile,
  validate: (params) => {
    let prepared: unknown
    try {
      prepared = prepare(params)
    } catch (error) {
      return invalidParameters(toolName, [`root: ${messageOf(error)}`], params)
    }
    return validate(prepared)
  },
})
