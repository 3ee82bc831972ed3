/**
 * spawn_agent
 *
 *   (approval) ─▶ SpawnAgent ─▶ the host's answer: the label of the agent
 */
import { Type } from "@sinclair/typebox"
import { SpawnAgent } from "../handlers/agents.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"

/** `spawn_agent`: starts an agent, in a host that runs agents. */
export const spawnAgentTool = defineTool({
  name: "spawn_agent",
  label: "Spawn agent",
  description:
    "Starts an agent that works on a task of its own while you go on. It has tools, but knows nothing of your conversation. list_agents shows how it is doing, get_agent gives its answer once it has ended.",
  parameters: Type.Object({
    task: Type.String({
      description: "What the agent is to do, and what its answer should hold.",
      minLength: 1,
    }),
    label: Type.Optional(
      Type.String({ description: "A short name for it, one or two words, such as find-callers." }),
    ),
    context: Type.Optional(Type.String({ description: "What it has to know beforehand." })),
  }),
  primaryParam: "task",
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: true },
  compose: (params) => pipeline().awaitApproval().andThen(SpawnAgent(params)),
})
