/** Calls a tool as another one that delegates to it does. */
import type { AgentToolResult, AgentToolUpdate } from "../../../../src/custom-tools/index.ts"
import { textOf } from "../../../../src/output/output.ts"

interface Delegate<Params> {
  execute(
    toolCallId: string,
    params: Params,
    signal?: AbortSignal,
    onUpdate?: (update: AgentToolUpdate) => void,
  ): AgentToolResult | Promise<AgentToolResult>
}

export const run = async <Params>(
  tool: Delegate<Params>,
  params: Params,
  {
    signal,
    onUpdate,
  }: { readonly signal?: AbortSignal; readonly onUpdate?: (update: AgentToolUpdate) => void } = {},
): Promise<AgentToolResult> => tool.execute("call-1", params, signal, onUpdate)

export const textFrom = async <Params>(tool: Delegate<Params>, params: Params): Promise<string> =>
  textOf(await run(tool, params))

/** The message of the failure. */
export const failureOf = async <Params>(
  tool: Delegate<Params>,
  params: Params,
  signal?: AbortSignal,
): Promise<string> => {
  const result = await run(tool, params, { ...(signal && { signal }) }).catch((cause: unknown) => cause)
  return result instanceof Error ? result.message : `no failure: ${JSON.stringify(result)}`
}
