/** A tool as a model is told of it. */
import type { JsonSchema } from "../../schema/json-schema.ts"

/** What a model provider is told of a tool. */
export interface ToolDefinition {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}
