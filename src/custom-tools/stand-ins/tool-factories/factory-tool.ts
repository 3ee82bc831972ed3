/** What the factories give: a tool as pi's own are, whose `execute` other tools may delegate to. */
import type { Static, TSchema } from "@sinclair/typebox"
import type { ToolContent } from "../../../output/content.ts"
import type { AgentToolResult, AgentToolUpdateCallback } from "../../agent-tool-result.ts"
import type { ExtensionContext, ToolDefinition } from "../../extension.ts"

export interface FactoryTool<TParams extends TSchema, TDetails> extends ToolDefinition<TParams, TDetails> {
  label: string
  /** In pi's order. The context is for what the model can take; without one everything is given. */
  execute(
    toolCallId: string,
    params: Static<TParams>,
    signal?: AbortSignal,
    onUpdate?: AgentToolUpdateCallback<TDetails>,
    ctx?: ExtensionContext,
  ): Promise<AgentToolResult<TDetails>>
}

export const textContent = (text: string): Array<ToolContent> => [{ type: "text", text }]
