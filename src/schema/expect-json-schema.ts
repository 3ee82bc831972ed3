/** Rejects objects that only look like a JSON Schema: they would not constrain the parameters, so every call would pass. */
import { isOfClass } from "./plain-object.ts"

/** Keywords whose value is a schema: an object with only one of these is still a JSON Schema. */
const keywords: ReadonlySet<string> = new Set([
  "additionalProperties",
  "contains",
  "contentSchema",
  "else",
  "if",
  "items",
  "not",
  "propertyNames",
  "then",
  "unevaluatedItems",
  "unevaluatedProperties",
])

const isSchema = (value: unknown): boolean =>
  ((typeof value === "object" && value !== null) || typeof value === "function") &&
  ("~standard" in value || "_def" in value || typeof (value as { type?: unknown }).type === "string")

/** Whether an object is only a map of properties, such as `{ path: z.string() }`. */
const isShape = (schema: object): boolean => {
  const entries = Object.entries(schema)
  return entries.length > 0 && entries.every(([key, value]) => !keywords.has(key) && isSchema(value))
}

/** Throws a TypeError that explains what to pass instead. */
export const expectJsonSchema = (schema: Record<string, unknown>, whose: string): void => {
  if (isOfClass(schema)) {
    const advice =
      "_def" in schema
        ? "got a schema of an older zod. Update zod to 4.2 or newer"
        : "got an instance of a class. Update its library to a version with Standard JSON Schema, or pass a JSON Schema"
    throw new TypeError(`Expected ${whose} to be a JSON Schema, or to give one, ${advice}`)
  }
  if ("jsonSchema" in schema && "validate" in schema)
    throw new TypeError(
      `Expected ${whose} to be a JSON Schema, got what wraps one in \`jsonSchema\`. Pass that itself`,
    )
  if (isShape(schema))
    throw new TypeError(
      `Expected ${whose} to be the schema of an object, got its properties alone. Put them into one, such as \`z.object({ … })\` or \`{ type: "object", properties: { … } }\``,
    )
}
