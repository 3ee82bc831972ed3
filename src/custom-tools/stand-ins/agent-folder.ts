/** Where the agents keep what belongs to their user. */
import { homedir } from "node:os"
import { join } from "node:path"

const agentFolder = (configFolder: string): string => {
  const set = process.env.PI_CODING_AGENT_DIR
  if (!set) return join(homedir(), configFolder, "agent")
  return set === "~" || set.startsWith("~/") ? homedir() + set.slice(1) : set
}

/** pi's; `PI_CODING_AGENT_DIR`, where set. */
export const getAgentDir = (): string => agentFolder(".pi")

/** oh-my-pi's; the same variable. */
export const getOmpAgentDir = (): string => agentFolder(".omp")
