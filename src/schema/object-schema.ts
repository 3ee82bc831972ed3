/** The schema of parameters for models and clients. */
import type { JsonSchema } from "./json-schema.ts"

type ObjectSchema = JsonSchema & { readonly type: "object" }

const isOfObject = (schema: JsonSchema): schema is ObjectSchema => schema.type === "object"

const ofObject = ({ type: _type, ...schema }: JsonSchema): ObjectSchema => ({ type: "object", ...schema })

/**
 * Makes a schema of parameters require an object, even if it leaves the type open or accepts null: providers and MCP clients
 * refuse any other schema.
 */
export const objectSchema = (schema: JsonSchema): ObjectSchema =>
  isOfObject(schema) ? schema : ofObject(schema)
