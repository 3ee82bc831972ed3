/**
 * get_agent
 *
 *   GetAgent ─▶ the host's answer: the agent's last message, once it has ended
 */
import { Type } from "@sinclair/typebox"
import { GetAgent } from "../handlers/agents.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"

/** `get_agent`: shows what an agent does, and takes its result once it has ended. */
export const getAgentTool = defineTool({
  name: "get_agent",
  label: "Get agent",
  description: "Gives the last message of an agent that has ended. It is given once.",
  parameters: Type.Object({
    label: Type.String({ description: "The label that the agent got when it was started." }),
  }),
  primaryParam: "label",
  background: false,
  cutsOutput: true,
  kind: "read",
  annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
  compose: ({ label }) => pipeline().andThen(GetAgent({ label })),
})
