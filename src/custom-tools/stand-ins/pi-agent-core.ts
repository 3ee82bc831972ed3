/** `pi-agent-core`: tools take types of it, which are gone when they run. What runs an agent throws. */
import { unavailable } from "./unavailable.ts"

const needsAgent = (name: string): unknown =>
  unavailable(name, "an agent of its own", "@mariozechner/pi-agent-core")

export const Agent = needsAgent("Agent")
export const agentLoop = needsAgent("agentLoop")
export const agentLoopContinue = needsAgent("agentLoopContinue")
