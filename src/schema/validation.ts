/** Checks a call's parameters against its tool's JSON Schema, after unambiguous coercion. Compiled once a tool. */

import { messageOf } from "../text/message-of.ts"
import { Coercion } from "./coercion.ts"
import type { JsonSchema } from "./json-schema.ts"
import { type AjvClass, compiledOnce, compileShape, type Shape } from "./json-shape.ts"
import { plainCheck } from "./plain-check.ts"
import { isPlainObject } from "./plain-object.ts"

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

/** A line for each error, of which only so many are listed. */
export const errorList = (errors: Iterable<string>): string => {
  const lines = [...new Set(errors)]
  const shown = lines.slice(0, maxErrors)
  if (lines.length > maxErrors) shown.push(`… and ${lines.length - maxErrors} more`)
  return shown.map((line) => `  - ${line}`).join("\n")
}

/** The failure that a model is told of: a line for each error, and what was received, both bounded. */
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

/** Reading them took more stack than there is, or a property could not be read at all. */
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

/** The result for parameters that are valid by common keywords alone; undefined where the library has to tell. */
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
      // What cannot be read, the library's check tells.
      return undefined
    }
  }
}

/**
 * Prepares the check of a tool's parameters; nothing is compiled before the first call, unless `compile` is called. The library is
 * loaded and compiles the schema for the first call that common keywords alone cannot accept.
 *
 * - What is valid as it stands passes as the same object, but for defaults of the schema, which are filled in.
 * - Else it is coerced where that is unambiguous, and checked again. What the caller gave is never changed.
 * - A schema that does not compile makes every call Invalid.
 * - `own` replaces the check: what a library's schema says of itself.
 * - `fillsDefaults` false leaves out what has a default.
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
