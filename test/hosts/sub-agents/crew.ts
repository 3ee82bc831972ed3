/** Sub-agents on an executor with the tools of agents, and what their host is told. Shut down when the test is over. */
import { onTestFinished } from "vitest"
import {
  type RunAgent,
  type SubAgent,
  SubAgents,
  type SubAgentsOptions,
} from "../../../src/hosts/sub-agents/index.ts"
import { getAgentTool } from "../../../src/impls/get-agent.ts"
import { listAgentsTool } from "../../../src/impls/list-agents.ts"
import { spawnAgentTool } from "../../../src/impls/spawn-agent.ts"
import { noIde, type Tool, type ToolEvent, ToolExecutor, ToolRegistry } from "../../../src/index.ts"

export interface Crew {
  readonly executor: ToolExecutor
  readonly subAgents: SubAgents
  /** What `onEvent` and `onEnd` were told. */
  readonly told: ReadonlyArray<{ readonly event: ToolEvent; readonly label: string }>
  readonly ended: ReadonlyArray<SubAgent>
  /** Each calls the tool of its name, as an agent, by default `main`, and gives the answer. */
  spawn(label?: string, agentId?: string): Promise<string>
  list(agentId?: string): Promise<string>
  get(label: string, agentId?: string): Promise<string>
}

export interface CrewOptions extends SubAgentsOptions {
  /** Tools beside those of agents. */
  readonly also?: ReadonlyArray<Tool>
  readonly answer?: (event: ToolEvent) => void
}

export const crewOf = (run: RunAgent, { also = [], answer, ...options }: CrewOptions = {}): Crew => {
  const told: Array<{ event: ToolEvent; label: string }> = []
  const ended: Array<SubAgent> = []
  const subAgents = new SubAgents(run, {
    onEvent: (event, label) => {
      told.push({ event, label })
      answer?.(event)
    },
    onEnd: (agent) => {
      ended.push(agent)
    },
    tools: also.map(({ name }) => name),
    ...options,
  })
  const executor = new ToolExecutor(
    new ToolRegistry([spawnAgentTool, listAgentsTool, getAgentTool, ...also]),
    { delegates: { ...noIde, ...subAgents.delegates } },
  )
  subAgents.attach(executor)
  onTestFinished(() => executor.shutdown())
  const ask = async (name: string, params: unknown, agentId = "main") =>
    (await executor.run({ agentId, name, params, decision: "approve" })).content
  return {
    executor,
    subAgents,
    told,
    ended,
    spawn: (label, agentId) =>
      ask("spawn_agent", { task: "work", ...(label !== undefined && { label }) }, agentId),
    list: (agentId) => ask("list_agents", {}, agentId),
    get: (label, agentId) => ask("get_agent", { label }, agentId),
  }
}
