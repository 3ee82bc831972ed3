/** What models and clients are told of parameters. */
import type { JsonSchema } from "./json-schema.ts"

type ObjectSchema = JsonSchema & { readonly type: "object" }

const isOfObject = (schema: JsonSchema): schema is ObjectSchema => schema.type === "object"

const ofObject = ({ type: _type, ...schema }: JsonSchema): ObjectSchema => ({ type: "object", ...schema })

/**
 * The schema of parameters, which are an object also where it leaves that open or would take null: providers and MCP clients
 * refuse one that does not say so.
 */
export const objectSchema = (schema: JsonSchema): ObjectSchema =>
  isOfObject(schema) ? schema : ofObject(schema)
