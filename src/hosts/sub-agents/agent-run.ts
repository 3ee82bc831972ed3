/** The host's function that runs an agent, and the argument of that function. */
import type { ToolCallInput } from "../../model/call.ts"
import type { ToolResult } from "../../model/event.ts"
import type { ToolDefinition } from "../../model/tool-definition.ts"

/** What a function that runs an agent receives. */
export interface AgentRun {
  readonly label: string
  /** What the parent wants the agent to know. */
  readonly context: string | undefined
  /** The tools for the agent's model. Read them again each turn: `resolve` is not always included. */
  readonly tools: ReadonlyArray<ToolDefinition>
  /** The id that the agent's calls have. */
  readonly agentId: string
  /** Aborted when the agent is cancelled, and once it has ended. */
  readonly signal: AbortSignal
  /**
   * Runs one call in the agent's lane, to its result. Events and questions go to `onEvent` of SubAgents.
   * Rejects with an `AbortError` once the agent has been cancelled.
   */
  call(call: Omit<ToolCallInput, "agentId">): Promise<ToolResult>
}

/** Runs an agent; returns its last message. An error is its failure. It should end soon after its `signal` is aborted. */
export type RunAgent = (task: string, run: AgentRun) => Promise<string>
