/// <reference types="node" preserve="true" />
export type { AgentRun, RunAgent } from "./agent-run.ts"
export type { AgentStatus, SubAgent } from "./sub-agent.ts"
export type { CancelAgentsOptions, SubAgentsOptions } from "./sub-agents.ts"
export { SubAgents } from "./sub-agents.ts"
