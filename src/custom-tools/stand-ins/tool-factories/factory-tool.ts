/** The tools that the factories make: like pi's own, with an `execute` that other tools can delegate to. */
import type { Static, TSchema } from "@sinclair/typebox"
import { orAborted } from "../../../io/or-aborted.ts"
import type { ToolContent } from "../../../output/content.ts"
import type { AgentToolResult, AgentToolUpdateCallback } from "../../agent-tool-result.ts"
import type { ExtensionContext, ToolDefinition } from "../../extension.ts"

/** The options of a factory. */
export interface FactoryOptions<Operations> {
  /** How the tool accesses files. Default: this machine's. */
  readonly operations?: Operations
}

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

type Described<TParams extends TSchema, TDetails> = Omit<FactoryTool<TParams, TDetails>, "label" | "execute">

interface Work<TParams extends TSchema, TDetails> {
  run(
    params: Static<TParams>,
    signal: AbortSignal | undefined,
    ctx: ExtensionContext | undefined,
  ): Promise<AgentToolResult<TDetails>>
}

const aborted = (): Error => new Error("Operation aborted")

/** Makes a tool without updates. A call rejects at once when it is aborted; `run` gets the same signal and ends by itself. */
export const factoryTool = <TParams extends TSchema, TDetails>({
  run,
  ...tool
}: Described<TParams, TDetails> & Work<TParams, TDetails>): FactoryTool<TParams, TDetails> => ({
  ...tool,
  label: tool.name,
  execute: async (_toolCallId, params, signal, _onUpdate, ctx) => {
    if (signal?.aborted === true) throw aborted()
    return orAborted(run(params, signal, ctx), signal, aborted)
  },
})

export const textContent = (text: string): Array<ToolContent> => [{ type: "text", text }]
