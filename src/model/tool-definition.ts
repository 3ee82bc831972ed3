/** The definition of a tool for a model. */
import type { JsonSchema } from "../schema/json-schema.ts"

/** The definition of a tool for a model provider. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}
