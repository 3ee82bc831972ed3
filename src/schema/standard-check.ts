/**
 * Checks parameters with the schema's own library. Rules, events and hosts see the input JSON, in the shape of its JSON
 * Schema; `compose` gets the schema's output.
 */
import { isDeepStrictEqual } from "node:util"
import { messageOf } from "../text/message-of.ts"
import type { Shape } from "./json-shape.ts"
import { isPlainObject } from "./plain-object.ts"
import type { StandardResult, StandardValidate } from "./standard-props.ts"
import { issueLine } from "./standard-schema.ts"
import { invalidParameters, type OwnCheck, type ParameterCheck } from "./validation.ts"

/** The check of a tool's parameters by their own schema, and its output. */
export interface StandardCheck {
  readonly check: OwnCheck
  /** The value that `compose` gets for validated parameters. Throws if this is asynchronous: only the check itself may be. */
  outputOf(params: unknown): unknown
}

const then = <A, B>(value: A | Promise<A>, next: (value: A) => B | Promise<B>): B | Promise<B> =>
  value instanceof Promise ? value.then(next) : next(value)

const failed = (error: unknown): StandardResult => ({ issues: [{ message: messageOf(error) }] })

/** Wraps a check so that it never throws or rejects: its own failure becomes an issue. */
export const guarded =
  (validate: StandardValidate) =>
  (value: unknown): StandardResult | Promise<StandardResult> => {
    try {
      const result = validate(value)
      // The library may return any value.
      const isPromise = typeof (Object(result) as { readonly then?: unknown }).then === "function"
      return isPromise ? Promise.resolve(result).catch(failed) : result
    } catch (error) {
      return failed(error)
    }
  }

/** Whether a schema accepts the value. */
export const isValid = (result: StandardResult): result is { readonly value: unknown } =>
  result.issues === undefined || result.issues === null

/** Created once per tool. */
export const standardCheck = (toolName: string, ownValidate: StandardValidate): StandardCheck => {
  const validate = guarded(ownValidate)
  /** The outputs by the parameters that were found valid. */
  const outputs = new WeakMap<object, unknown>()

  const valid = (params: object, output: unknown): ParameterCheck => {
    outputs.set(params, output)
    return { _tag: "Valid", params }
  }

  const invalid = (result: StandardResult, received: unknown): ParameterCheck =>
    invalidParameters(toolName, (result.issues ?? []).map(issueLine), received)

  /**
   * Rules and hosts see a default only if the check returns the same output with it: some defaults belong to a schema's output,
   * not to its input.
   */
  const withDefaults = (
    { coercion }: Shape,
    given: object,
    output: unknown,
  ): ParameterCheck | Promise<ParameterCheck> => {
    const filled = coercion.fillDefaults(given) as object
    if (filled === given) return valid(given, output)
    return then(validate(filled), (again) =>
      isValid(again) && isDeepStrictEqual(again.value, output) ? valid(filled, output) : valid(given, output),
    )
  }

  const check = (shape: Shape) => (received: unknown) => {
    const given = received ?? {}
    const { coercion } = shape
    const tried = (
      value: unknown,
      otherwise: (result: StandardResult) => ParameterCheck | Promise<ParameterCheck>,
    ): ParameterCheck | Promise<ParameterCheck> => {
      if (!isPlainObject(value)) return otherwise({ issues: [{ message: "must be object" }] })
      return then(validate(value), (result) =>
        isValid(result) ? withDefaults(shape, value, result.value) : otherwise(result),
      )
    }
    const last = (result: StandardResult) => invalid(result, received)
    if (shape.accepts(coercion.fillDefaults(given))) return tried(given, last)
    const coerced = coercion.coerce(given)
    if (shape.accepts(coercion.fillDefaults(coerced))) return tried(coerced, last)
    // Parameters that the JSON Schema rejects may still pass the schema's own check; if they do not, the coerced ones
    // have fewer faults.
    return tried(given, (result) => (Object.is(coerced, given) ? last(result) : tried(coerced, last)))
  }

  const outputOf = (params: unknown): unknown => {
    if (typeof params === "object" && params !== null && outputs.has(params)) return outputs.get(params)
    const result = validate(params)
    if (result instanceof Promise) {
      throw new TypeError(
        `The schema of tool "${toolName}" takes time to check its parameters, which a call that is composed again cannot wait for. Check in a handler what is asynchronous`,
      )
    }
    if (isValid(result)) return result.value
    throw new TypeError(invalidParameters(toolName, (result.issues ?? []).map(issueLine), params).message)
  }

  return { check, outputOf }
}
