/** Checks that a tool's schema makes a parameter a string: rules that match it would ignore any other value. */

import type { JsonSchema } from "./json-schema.ts"
import { isPlainObject } from "./plain-object.ts"

const pointed = (root: JsonSchema, reference: string): unknown => {
  if (!reference.startsWith("#/")) return undefined
  const keys = reference.slice(2).split("/")
  return keys.reduce<unknown>((value, key) => (isPlainObject(value) ? value[key] : undefined), root)
}

/** Whether a schema accepts only strings and absent values. A schema that leaves the type open counts as accepting strings. */
const admitsOnlyText = (root: JsonSchema, schema: unknown, depth = 0): boolean => {
  if (!isPlainObject(schema) || depth > 20) return schema !== true
  const { $ref, type, anyOf, oneOf } = schema
  if (typeof $ref === "string") {
    const target = pointed(root, $ref)
    return target === undefined || admitsOnlyText(root, target, depth + 1)
  }
  if ("const" in schema) return typeof schema.const === "string" || schema.const === null
  if (Array.isArray(schema.enum)) {
    return schema.enum.every((value) => typeof value === "string" || value === null)
  }
  if (type !== undefined) return [type].flat().every((each) => each === "string" || each === "null")
  const branches = anyOf ?? oneOf
  if (Array.isArray(branches)) return branches.every((branch) => admitsOnlyText(root, branch, depth + 1))
  // A composed schema: `allOf`, or a schema under another name.
  return Array.isArray(schema.allOf)
    ? schema.allOf.some((part) => admitsOnlyText(root, part, depth + 1))
    : false
}

/** Throws a TypeError that explains what to do instead. */
export const expectTextParameter = (
  { name, parameters }: { readonly name: string; readonly parameters: JsonSchema },
  option: string,
  param: string,
): void => {
  const { properties, allOf, anyOf, oneOf, $ref } = parameters
  const own = isPlainObject(properties) && Object.hasOwn(properties, param) ? properties[param] : undefined
  if (own === undefined) {
    // A schema may name no properties, or name them in a part that is not read here.
    if (properties === undefined || [allOf, anyOf, oneOf, $ref].some((part) => part !== undefined)) return
    throw new TypeError(
      `Expected \`${option}\` of tool \`${name}\` to be one of its \`parameters\`, got \`${param}\``,
    )
  }
  if (admitsOnlyText(parameters, own)) return
  const instead = option === "primaryParam" ? " Name several paths with `paths: (params) => string[]`." : ""
  throw new TypeError(
    `Expected \`${option}\` of tool \`${name}\` to be a string in its \`parameters\`: \`${param}\` may be something else, which rules cannot match.${instead}`,
  )
}
