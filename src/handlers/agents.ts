/** Handlers for agents that work for the calling agent. The host answers; `SubAgents` implements the answers. */
import { type EffectHandler, handler } from "../model/handler.ts"
import { Step } from "../model/step.ts"

/** The task of the new agent. */
export interface SpawnAgentOptions {
  readonly task: string
  readonly label?: string
  readonly context?: string
}

/** Starts an agent. The host answers as soon as the agent has started; the answer becomes the output. */
export const SpawnAgent = (options: SpawnAgentOptions): EffectHandler =>
  handler("SpawnAgent", () => Step.Delegate({ _tag: "SpawnAgent", ...options }))

/** Outputs the host's list of the agents that the calling agent has started. */
export const ListAgents = (): EffectHandler =>
  handler("ListAgents", () => Step.Delegate({ _tag: "ListAgents" }))

/** Outputs the last message of an agent that has ended. */
export const GetAgent = ({ label }: { readonly label: string }): EffectHandler =>
  handler("GetAgent", () => Step.Delegate({ _tag: "GetAgent", label }))
