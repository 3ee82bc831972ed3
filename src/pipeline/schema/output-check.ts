/** Checks what a tool gives as `structured` against its `outputSchema`, as it stands: nothing is coerced or filled in. */
import { messageOf } from "../model/failure.ts"
import { type AjvClass, ajvFor, compileShape } from "./json-shape.ts"
import { guarded, isValid } from "./standard-check.ts"
import type { StandardResult, StandardValidate } from "./standard-props.ts"
import { issueLine } from "./standard-schema.ts"
import type { SchemaObject } from "./subschema.ts"

/** What is wrong with a value, by path: nothing where it fits. */
export type Faults = ReadonlyArray<string>

/** A promise only where the validator's library has to be loaded first, or a schema's own check takes time. */
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

const jsonCheck = (schema: SchemaObject, ajvClass: AjvClass): ((structured: unknown) => Faults) => {
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

/** Compiles the schema when it is first needed. `validate` is the schema's own check, where its library has one. */
export const compileOutput = (schema: SchemaObject, validate: StandardValidate | undefined): OutputCheck => {
  if (validate !== undefined) return ownCheck(validate)
  let check: ((structured: unknown) => Faults) | undefined
  return (structured) => {
    if (check !== undefined) return check(structured)
    const ajvClass = ajvFor(schema)
    if (ajvClass instanceof Promise) {
      return ajvClass.then((found) => {
        check ??= jsonCheck(schema, found)
        return check(structured)
      })
    }
    check = jsonCheck(schema, ajvClass)
    return check(structured)
  }
}
