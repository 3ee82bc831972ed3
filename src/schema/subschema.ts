/** The parts of a JSON Schema, each with its location. */
import type { JsonSchema } from "./json-schema.ts"
import { isPlainObject } from "./plain-object.ts"

/** A schema within the root schema. */
export interface Located {
  readonly schema: JsonSchema
  readonly pointer: string
}

/** An object's entries by name. */
export type Entries = Record<string, unknown>

/** An own property of an object, because a key may be `constructor`. */
export const ownValue = (object: Entries, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

const pointerTo = ({ pointer }: Located, ...keys: ReadonlyArray<string>): string =>
  keys.reduce(
    (path, key) => `${path}/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`,
    pointer,
  )

/** The subschema at these keys; undefined if there is none, or if it is not an object. */
export const child = (parent: Located, ...keys: ReadonlyArray<string>): Located | undefined => {
  let schema: unknown = parent.schema
  for (const key of keys) {
    if (typeof schema !== "object" || schema === null) return undefined
    schema = ownValue(schema as Entries, key)
  }
  return isPlainObject(schema) ? { schema, pointer: pointerTo(parent, ...keys) } : undefined
}

/** The subschemas of a list, such as `allOf`. */
export const children = (parent: Located, keyword: string): Array<Located> => {
  const list = parent.schema[keyword]
  if (!Array.isArray(list)) return []
  return list.flatMap((_, index) => child(parent, keyword, String(index)) ?? [])
}

/** The keys of an object; none for anything else. */
export const namesOf = (schema: unknown): Array<string> => (isPlainObject(schema) ? Object.keys(schema) : [])

/** The schema of an array's item: of a tuple in either dialect, or of all items. */
export const itemSchema = (array: Located, index: number): Located | undefined => {
  for (const keyword of ["prefixItems", "items"]) {
    const tuple = array.schema[keyword]
    if (!Array.isArray(tuple)) continue
    if (index < tuple.length) return child(array, keyword, String(index))
    if (keyword === "items") return child(array, "additionalItems")
  }
  return child(array, "items")
}
