/** Handlers of agents that work for the calling one. The host answers; `SubAgents` is its ready answer. */
import { type EffectHandler, handler } from "../pipeline/model/handler.ts"
import { Step } from "../pipeline/model/step.ts"

/** What the new agent is to do. */
export interface SpawnAgentOptions {
  readonly task: string
  readonly label?: string
  readonly context?: string
}

/** Starts an agent. The host answers as soon as it has started; its output is the answer. */
export const SpawnAgent = (options: SpawnAgentOptions): EffectHandler =>
  handler("SpawnAgent", () => Step.Delegate({ _tag: "SpawnAgent", ...options }))

/** Outputs what the host knows of the agents that the calling one has started. */
export const ListAgents = (): EffectHandler =>
  handler("ListAgents", () => Step.Delegate({ _tag: "ListAgents" }))

/** Outputs the last message of an agent that has ended. */
export const GetAgent = ({ label }: { readonly label: string }): EffectHandler =>
  handler("GetAgent", () => Step.Delegate({ _tag: "GetAgent", label }))
