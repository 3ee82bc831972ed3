/** Checks a call's parameters against its tool's JSON Schema, after unambiguous coercion. Compiled once per tool. */

import { messageOf } from "../text/message-of.ts"
import { Coercion } from "./coercion.ts"
import type { JsonSchema } from "./json-schema.ts"
import { type AjvClass, compiledOnce, compileShape, type Shape } from "./json-shape.ts"
import { plainCheck } from "./plain-check.ts"
import { isPlainObject } from "./plain-object.ts"

/** Parameters that do not fit. The message tells the model the errors, by path, and the received value. */
export interface InvalidParameters {
  readonly _tag: "Invalid"
  readonly message: string
}

/** The result of a validation. `params` are the parameters to run with, as JSON: coerced, and with their defaults. */
export type ParameterCheck = { readonly _tag: "Valid"; readonly params: unknown } | InvalidParameters

/** A tool's schema, ready to check parameters with. */
export interface CompiledParameters {
  /** Compiles the schema before the first call, so that later changes to the globals cannot break this. */
  compile(): Promise<void>
  /** Returns a promise only if the validator's library has to be loaded first, or a schema's own check is asynchronous. */
  validate(params: unknown): ParameterCheck | Promise<ParameterCheck>
}

type Check = (params: unknown) => ParameterCheck | Promise<ParameterCheck>

/** Replaces the check against the JSON Schema alone, for schemas with their own check. */
export type OwnCheck = ((shape: Shape) => Check) | undefined

const maxErrors = 20
const maxArguments = 10_000

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

/** One line for each error, up to a maximum number. */
export const errorList = (errors: Iterable<string>): string => {
  const lines = [...new Set(errors)]
  const shown = lines.slice(0, maxErrors)
  if (lines.length > maxErrors) shown.push(`… and ${lines.length - maxErrors} more`)
  return shown.map((line) => `  - ${line}`).join("\n")
}

/** The failure for the model: one line for each error, and the received value, both limited. */
export const invalidParameters = (
  toolName: string,
  errors: Iterable<string>,
  params: unknown,
): InvalidParameters => {
  const message = `Validation failed for tool "${toolName}":\n${errorList(errors)}\n\nReceived arguments:\n${showArguments(params)}`
  return { _tag: "Invalid", message }
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

/** The failure for parameters whose reading overflowed the stack, or that have an unreadable property. */
const unreadable = (toolName: string, error: unknown, received: unknown): InvalidParameters => {
  const reason = error instanceof RangeError ? "is nested too deeply, or refers to itself" : "cannot be read"
  return invalidParameters(toolName, [`root: ${reason}`], received)
}

const compileCheck = (
  toolName: string,
  schema: JsonSchema,
  ajvClass: AjvClass,
  own: OwnCheck,
  fillsDefaults: boolean,
): Check => {
  let check: Check
  try {
    const shape = compileShape(schema, ajvClass, fillsDefaults)
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

/** The result for parameters that are valid by common keywords alone; undefined if the library has to decide. */
const compilePlain = (
  schema: JsonSchema,
  own: OwnCheck,
  fillsDefaults: boolean,
): ((received: unknown) => ReturnType<Check> | undefined) => {
  const fits = plainCheck(schema)
  if (fits === undefined) return () => undefined
  const nothing = () => undefined
  const coercion = new Coercion(schema, nothing, nothing, fillsDefaults)
  const accepts = (params: unknown) => isPlainObject(params) && fits(params)
  const check = own?.({ coercion, fits, accepts, errors: () => [] })
  return (received) => {
    try {
      const params = coercion.fillDefaults(received ?? {})
      if (!isPlainObject(params) || !fits(params)) return undefined
      return check === undefined ? { _tag: "Valid", params } : check(received)
    } catch {
      // The library's check reports values that cannot be read.
      return undefined
    }
  }
}

/**
 * Prepares the check of a tool's parameters; nothing is compiled before the first call, unless `compile` is called. The library
 * is loaded and compiles the schema for the first call that common keywords alone cannot accept.
 *
 * - Valid parameters pass as the same object, except that the schema's defaults are filled in.
 * - Other parameters are coerced if that is unambiguous, and checked again. The caller's value is never changed.
 * - A schema that does not compile makes every call Invalid.
 * - `own` replaces the check with that of the schema's own library.
 * - If `fillsDefaults` is false, defaults are not filled in.
 */
export const compileParameters = (
  toolName: string,
  schema: JsonSchema,
  own?: OwnCheck,
  fillsDefaults = true,
): CompiledParameters => {
  let plain: ReturnType<typeof compilePlain> | undefined
  const compiled = compiledOnce(schema, (ajvClass) =>
    compileCheck(toolName, schema, ajvClass, own, fillsDefaults),
  )
  return {
    compile: async () => {
      await compiled()
    },
    validate: (params) => {
      plain ??= compilePlain(schema, own, fillsDefaults)
      const accepted = plain(params)
      if (accepted !== undefined) return accepted
      const ready = compiled()
      return ready instanceof Promise ? ready.then((check) => check(params)) : ready(params)
    },
  }
}

/** The same check for a tool that first rewrites the received parameters. */
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
