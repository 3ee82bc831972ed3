/** Lets TypeScript type a tool of pi's by its own schema. */
import type { TSchema } from "@sinclair/typebox"
import type { ToolDefinition } from "../extension.ts"

/** Gives the tool as it is. `execute` and the renderers get parameters of the type that `parameters` describes. */
export const defineTool = <TParams extends TSchema, TDetails = unknown>(
  tool: ToolDefinition<TParams, TDetails>,
): ToolDefinition<TParams, TDetails> => tool
