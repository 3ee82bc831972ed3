/** Lets TypeScript infer the types of a pi tool from its schema. */
import type { TSchema } from "@sinclair/typebox"
import type { ToolDefinition } from "../extension.ts"

/** Returns the tool unchanged. `execute` and the renderers get parameters of the type that `parameters` describes. */
export const defineTool = <TParams extends TSchema, TDetails = unknown>(
  tool: ToolDefinition<TParams, TDetails>,
): ToolDefinition<TParams, TDetails> => tool
