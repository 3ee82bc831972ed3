/** The JSON Schema of a foreign tool's parameters, and the validation that only their own library can do. */
import { createRequire } from "node:module"
import { join } from "node:path"
import { ToolError } from "../model/step.ts"
import type { JsonSchema } from "../schema/json-schema.ts"
import { isValid } from "../schema/standard-check.ts"
import type { StandardProps, StandardValidate } from "../schema/standard-props.ts"
import { issueLine } from "../schema/standard-schema.ts"
import { invalidParameters } from "../schema/validation.ts"
import { messageOf } from "../text/message-of.ts"
import { expectPatterns } from "./expect-patterns.ts"
import { runIsolated } from "./loading/isolation.ts"

export interface ParameterSchema {
  readonly schema: JsonSchema
  /**
   * Converts validated parameters for the tool. Set for libraries whose schemas also transform and refine; rejects with a
   * ToolError that lists the problems.
   */
  readonly parse?: (params: unknown) => Promise<unknown>
}

/** A schema of zod 4, ArkType, Valibot and others: its check and, in newer versions, its JSON Schema. */
type Standard = StandardProps & { readonly validate: StandardValidate }

const standardOf = (parameters: unknown): Standard | undefined => {
  const standard: unknown = Object(parameters)["~standard"]
  return typeof (standard as StandardProps | undefined)?.validate === "function"
    ? (standard as Standard)
    : undefined
}

/** `parse` checks what JSON Schema cannot express. */
const zodOptions = { io: "input", unrepresentable: "any" }

/** Zod 4 before 4.2 converts only by a function of its module. */
const convertByModule = (parameters: object, cwd: string): unknown => {
  const zod: { toJSONSchema(schema: object, options: object): unknown } = createRequire(
    join(cwd, "package.json"),
  )("zod")
  return zod.toJSONSchema(parameters, zodOptions)
}

const convert = (parameters: object, { vendor, jsonSchema }: Standard, cwd: string): unknown => {
  const { toJSONSchema, toJsonSchema } = parameters as Record<string, unknown>
  if (typeof toJSONSchema === "function") return toJSONSchema.call(parameters, zodOptions)
  if (typeof toJsonSchema === "function") return toJsonSchema.call(parameters)
  if (jsonSchema !== undefined) return jsonSchema.input({ target: "draft-2020-12" })
  if ("_zod" in parameters) return convertByModule(parameters, cwd)
  throw new Error(`this version of ${String(vendor)} has no conversion to it`)
}

const parser = (name: string, standard: Standard) => async (params: unknown) => {
  const result = await standard.validate(params)
  if (isValid(result)) return result.value
  throw new ToolError(invalidParameters(name, result.issues.map(issueLine), params).message)
}

const expectJson = (name: string, schema: JsonSchema): JsonSchema => {
  let json: string | undefined
  try {
    // Functions that this calls, such as `toJSON`, are the tool's code.
    json = runIsolated(name, () => JSON.stringify(schema))
  } catch (error) {
    // Only the first line: the others describe a cycle.
    const [reason] = messageOf(error).split("\n")
    throw new TypeError(`Cannot make JSON of the parameters of tool \`${name}\`: ${reason}`)
  }
  if (json !== undefined) expectPatterns(name, JSON.parse(json))
  return schema
}

/**
 * Reads parameters in either TypeBox, plain JSON Schema, or a schema of a Standard Schema library such as zod 4. Throws a
 * TypeError for one that cannot be shown to a model, for example with a cycle.
 *
 * @param cwd Where to look for zod, if the schema's own version cannot convert it.
 */
export const parameterSchema = (name: string, parameters: unknown, cwd: string): ParameterSchema => {
  const standard = standardOf(parameters)
  // `defineTool` refuses anything that is not a schema.
  if (standard === undefined) return { schema: expectJson(name, parameters as JsonSchema) }
  let schema: unknown
  try {
    schema = convert(parameters as object, standard, cwd)
  } catch (error) {
    throw new TypeError(
      `Cannot make a JSON Schema of the parameters of tool \`${name}\`: ${messageOf(error)}. Update ${String(standard.vendor)}, or use TypeBox.`,
    )
  }
  expectPatterns(name, schema)
  return { schema: schema as JsonSchema, parse: parser(name, standard) }
}
