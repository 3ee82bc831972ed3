/**
 * list_agents
 *
 *   ListAgents ─▶ the host's answer: "1. label [Status] 12s" a line
 */
import { Type } from "@sinclair/typebox"
import { ListAgents } from "../handlers/agents.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"

/** `list_agents`: lists the agents that the agent has started. */
export const listAgentsTool = defineTool({
  name: "list_agents",
  label: "List agents",
  description: "Lists the agents that you started, with their states and for how long they have worked.",
  parameters: Type.Object({}),
  background: false,
  kind: "read",
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  compose: () => pipeline().andThen(ListAgents()),
})
