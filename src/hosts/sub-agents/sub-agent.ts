/** An agent that works for another: its state, and its description for the model. */
import { capitalized } from "../../tasks/background-tasks.ts"

/** What an agent does, or how it ended. */
export type AgentStatus = "running" | "complete" | "error" | "cancelled"

/** A sub-agent as hosts see it. Plain JSON. */
export interface SubAgent {
  /** Unique among all agents, including ended ones that were not taken. */
  readonly label: string
  /** The agent that its calls belong to. Never used twice. */
  readonly agentId: string
  /** The agent that started it. */
  readonly parentId: string
  readonly status: AgentStatus
  /** How long it has worked, in milliseconds. */
  readonly elapsed: number
  /** Its last message, or why it failed; empty while it runs. At most 50,000 bytes. */
  readonly message: string
}

const twoDigits = (value: number): string => String(value).padStart(2, "0")

/** `12s`, `3m 05s`, `2h 10m`. */
export const formatElapsed = (milliseconds: number): string => {
  const seconds = Math.floor(milliseconds / 1000)
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m ${twoDigits(seconds % 60)}s`
  return `${Math.floor(seconds / 3600)}h ${twoDigits(Math.floor((seconds % 3600) / 60))}m`
}

/** One line per agent: `1. label [Status] 12s`. */
export const describeAgents = (agents: ReadonlyArray<SubAgent>): string => {
  if (agents.length === 0) return "No agents"
  return agents
    .map(
      ({ label, status, elapsed }, index) =>
        `${index + 1}. ${label} [${capitalized(status)}] ${formatElapsed(elapsed)}`,
    )
    .join("\n")
}

/** The answer of `get_agent` for an agent that has ended. */
export const describeEnd = ({ label, status, message }: SubAgent): string =>
  `Agent ${label} [${capitalized(status)}]:\n${message}`
