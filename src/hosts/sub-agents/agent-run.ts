/** What a host brings: a function that runs an agent, and what it is given to do so. */
import type { ToolCallInput } from "../../pipeline/model/call.ts"
import type { ToolResult } from "../../pipeline/model/event.ts"
import type { ToolDefinition } from "../../pipeline/model/registry.ts"

/** What a function that runs an agent is given to do so. */
export interface AgentRun {
  readonly label: string
  /** What its parent wants it to know. */
  readonly context: string | undefined
  /** What its model may be told of. Read it again each turn: `resolve` comes and goes. */
  readonly tools: ReadonlyArray<ToolDefinition>
  /** Whose calls are the agent's. */
  readonly agentId: string
  /** Aborted when the agent is cancelled, and once it has ended. */
  readonly signal: AbortSignal
  /**
   * Runs one call in the agent's lane, to its result; what it tells and asks goes to `onEvent` of SubAgents.
   * Rejects with an `AbortError` once the agent has been cancelled.
   */
  call(call: Omit<ToolCallInput, "agentId">): Promise<ToolResult>
}

/** Runs an agent; gives its last message. A throw is its failure. It is to end soon after its `signal` is aborted. */
export type RunAgent = (task: string, run: AgentRun) => Promise<string>
