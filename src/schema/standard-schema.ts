/** Reads the schemas of other libraries. */

import { messageOf } from "../text/message-of.ts"
import { isEffectSchema, standardOfEffect } from "./effect-schema.ts"
import { expectJsonSchema } from "./expect-json-schema.ts"
import type { JsonSchema } from "./json-schema.ts"
import { isPlainObject } from "./plain-object.ts"
import type { StandardIssue, StandardProps, StandardValidate } from "./standard-props.ts"

/** A tool's schema as JSON Schema, and the check of its library, if it has one. */
export interface ReadSchema {
  readonly json: JsonSchema
  readonly validate: StandardValidate | undefined
}

const propsOf = (schema: unknown, whose: string): StandardProps | undefined => {
  if (isEffectSchema(schema)) return standardOfEffect(schema, whose)
  const isHolder = (typeof schema === "object" && schema !== null) || typeof schema === "function"
  const props = isHolder ? (schema as { "~standard"?: unknown })["~standard"] : undefined
  return typeof props === "object" && props !== null ? (props as StandardProps) : undefined
}

const advice = (vendor: unknown): string => {
  if (vendor === "valibot") return "Pass `toStandardJsonSchema(schema)` of `@valibot/to-json-schema`."
  if (vendor === "zod") return "Update zod to 4.2 or newer."
  return `Update ${typeof vendor === "string" ? vendor : "its library"} to a version with Standard JSON Schema, or pass a JSON Schema.`
}

/** Anything that JSON Schema cannot express, such as the conversion of a string to a date, is left to the schema's own check. */
const libraryOptions = { unrepresentable: "any" }

const convert = ({ vendor, jsonSchema }: StandardProps): unknown => {
  const options = vendor === "zod" ? { libraryOptions } : {}
  try {
    return jsonSchema!.input({ target: "draft-2020-12", ...options })
  } catch (error) {
    try {
      return jsonSchema!.input({ target: "draft-07", ...options })
    } catch {
      throw error
    }
  }
}

/**
 * Moves the target of a schema that is only a reference to its root: definitions for models require an object, and may get
 * an additional property.
 */
const inlined = (json: unknown): unknown => {
  if (!isPlainObject(json) || typeof json.$ref !== "string") return json
  const [, holder, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(json.$ref) ?? []
  const named = holder === undefined ? undefined : (json[holder] as JsonSchema | undefined)?.[name!]
  const { $ref: _reference, ...rest } = json
  return isPlainObject(named) ? { ...named, ...rest } : json
}

/**
 * Reads a `parameters` or `outputSchema` that is a Standard Schema or a JSON Schema. `whose` names the option in the
 * TypeErrors, which explain what to do instead.
 */
export const readSchema = (schema: unknown, whose: string): ReadSchema => {
  const props = propsOf(schema, whose)
  if (props === undefined) {
    if (!isPlainObject(schema)) throw new TypeError(`Expected ${whose} to be a JSON Schema object`)
    expectJsonSchema(schema, whose)
    return { json: schema, validate: undefined }
  }
  if (typeof props.jsonSchema?.input !== "function") {
    throw new TypeError(`Expected ${whose} to give its JSON Schema. ${advice(props.vendor)}`)
  }
  let json: unknown
  try {
    json = inlined(convert(props))
  } catch (error) {
    throw new TypeError(`Cannot make a JSON Schema of ${whose}: ${messageOf(error)}`)
  }
  if (!isPlainObject(json) || (json.type !== undefined && json.type !== "object")) {
    throw new TypeError(`Expected ${whose} to be the schema of an object`)
  }
  const { $schema: _dialect, ...rest } = json
  const { validate } = props
  return { json: rest, validate: validate && ((value) => validate(value)) }
}

const keyOf = (part: unknown): unknown =>
  typeof part === "object" && part !== null && "key" in part ? part.key : part

/** An issue as a line of a failure's text. */
export const issueLine = ({ message, path }: StandardIssue): string =>
  `${(path ?? []).map((part) => String(keyOf(part))).join("/") || "root"}: ${message}`
