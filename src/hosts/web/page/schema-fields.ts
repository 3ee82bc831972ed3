/** The fields of a form, from a JSON Schema. A property without a field for its type gets a field for JSON. */
import { isPlainObject } from "../../../schema/plain-object.ts"

/** How a value is entered. */
export type FieldKind = "text" | "number" | "boolean" | "choice" | "json"

/** One property of an object. */
export interface Field {
  readonly name: string
  readonly kind: FieldKind
  readonly description?: string
  readonly isRequired: boolean
  readonly choices: ReadonlyArray<unknown>
  readonly isWhole: boolean
}

type Schema = Readonly<Record<string, unknown>>

const constants = (schemas: unknown): ReadonlyArray<unknown> | undefined =>
  Array.isArray(schemas) &&
  schemas.length > 0 &&
  schemas.every((each) => isPlainObject(each) && "const" in each)
    ? schemas.map((each: Schema) => each.const)
    : undefined

const choicesOf = ({ enum: values, anyOf, oneOf }: Schema): ReadonlyArray<unknown> =>
  Array.isArray(values) ? values : (constants(anyOf) ?? constants(oneOf) ?? [])

const kindOf = (schema: Schema): FieldKind => {
  if (choicesOf(schema).length > 0) return "choice"
  const { type } = schema
  if (type === "string") return "text"
  if (type === "number" || type === "integer") return "number"
  return type === "boolean" ? "boolean" : "json"
}

/** Returns undefined unless the schema is an object schema that lists all properties of `value`. */
export const fieldsOf = (schema: unknown, value: unknown): ReadonlyArray<Field> | undefined => {
  if (!isPlainObject(schema) || !isPlainObject(schema.properties) || !isPlainObject(value)) return undefined
  const { properties, required } = schema
  const names = Object.keys(properties)
  if (names.length === 0 || Object.keys(value).some((name) => !names.includes(name))) return undefined
  return names.map((name) => {
    const property = properties[name]
    const own: Schema = isPlainObject(property) ? property : {}
    const { description } = own
    return {
      name,
      // A value of another type than the schema's is shown as JSON.
      kind: fits(kindOf(own), value[name]) ? kindOf(own) : "json",
      ...(typeof description === "string" && { description }),
      isRequired: Array.isArray(required) && required.includes(name),
      choices: choicesOf(own),
      isWhole: own.type === "integer",
    }
  })
}

const fits = (kind: FieldKind, value: unknown): boolean => {
  if (value === undefined || kind === "json" || kind === "choice") return true
  return typeof value === (kind === "text" ? "string" : kind)
}

/** The text of a value in its field. */
export const typedOf = (kind: FieldKind, value: unknown): string => {
  if (value === undefined) return ""
  if (kind === "text") return value as string
  return JSON.stringify(value, undefined, kind === "json" ? 2 : undefined)
}

/** The entered value; `left` if the property is omitted. Throws an error whose message is a sentence. */
export const valueOf = (field: Field, typed: string): { readonly value: unknown } | "left" => {
  const { kind, name, isRequired } = field
  if (kind === "text") return typed === "" && !isRequired ? "left" : { value: typed }
  if (typed.trim() === "") {
    if (!isRequired) return "left"
    throw new Error(`“${name}” is needed.`)
  }
  if (kind === "number") {
    const value = Number(typed)
    if (!Number.isFinite(value) || (field.isWhole && !Number.isInteger(value)))
      throw new Error(`“${name}” is not ${field.isWhole ? "a whole number" : "a number"}.`)
    return { value }
  }
  try {
    return { value: JSON.parse(typed) }
  } catch {
    throw new Error(`“${name}” is not JSON: put texts in quotes.`)
  }
}
