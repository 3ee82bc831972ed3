/** A JSON Schema that is an object: TypeBox's, or written by hand. */
export type JsonSchema = Readonly<Record<string, unknown>>
