/** The tools that the factories make: like pi's own, with an `execute` that other tools can delegate to. */
import type { Static, TSchema } from "@sinclair/typebox"
import type { ToolContent } from "../../../output/content.ts"
import type { AgentToolResult, AgentToolUpdateCallback } from "../../agent-tool-result.ts"
import type { ExtensionContext, ToolDefinition } from "../../extension.ts"

export interface FactoryTool<TParams extends TSchema, TDetails> extends ToolDefinition<TParams, TDetails> {
  label: string
  /** In pi's order. The context tells what the model accepts; without one everything is returned. */
  execute(
    toolCallId: string,
    params: Static<TParams>,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdateCallback<TDetails>,
    ctx?: ExtensionContext,
  ): Promise<AgentToolResult<TDetails>>
}

export const textContent = (text: string): Array<ToolContent> => [{ type: "text", text }]
