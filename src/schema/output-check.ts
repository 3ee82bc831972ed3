/** Checks a tool's `structured` against its `outputSchema`, without changes: nothing is coerced or filled in. */
import { messageOf } from "../text/message-of.ts"
import type { JsonSchema } from "./json-schema.ts"
import { type AjvClass, compiledOnce, compileShape } from "./json-shape.ts"
import { type PlainCheck, plainCheck } from "./plain-check.ts"
import { guarded, isValid } from "./standard-check.ts"
import type { StandardResult, StandardValidate } from "./standard-props.ts"
import { issueLine } from "./standard-schema.ts"

/** The faults of a value, by path: none if it fits. */
export type Faults = ReadonlyArray<string>

/** Returns a promise only if the validator's library has to be loaded first, or a schema's own check is asynchronous. */
export type OutputCheck = (structured: unknown) => Faults | Promise<Faults>

const none: Faults = []

const faultsOf = (result: StandardResult): Faults =>
  isValid(result) ? none : (result.issues ?? []).map(issueLine)

const ownCheck = (validate: StandardValidate): OutputCheck => {
  const checked = guarded(validate)
  return (structured) => {
    const result = checked(structured)
    return result instanceof Promise ? result.then(faultsOf) : faultsOf(result)
  }
}

const jsonCheck = (schema: JsonSchema, ajvClass: AjvClass): ((structured: unknown) => Faults) => {
  try {
    const { fits, errors } = compileShape(schema, ajvClass)
    return (structured) => {
      try {
        return fits(structured) ? none : errors()
      } catch {
        return ["root: cannot be read"]
      }
    }
  } catch (error) {
    const faults = [`root: the schema itself is invalid: ${messageOf(error)}`]
    return () => faults
  }
}

/** Compiles the schema when it is first needed. `validate` is the schema's own check, if its library has one. */
export const compileOutput = (schema: JsonSchema, validate: StandardValidate | undefined): OutputCheck => {
  if (validate !== undefined) return ownCheck(validate)
  const compiled = compiledOnce(schema, (ajvClass) => jsonCheck(schema, ajvClass))
  let plain: PlainCheck | undefined
  return (structured) => {
    plain ??= plainCheck(schema) ?? (() => false)
    if (plain(structured)) return none
    const check = compiled()
    return check instanceof Promise ? check.then((ready) => ready(structured)) : check(structured)
  }
}
