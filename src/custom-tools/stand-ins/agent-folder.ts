/** Where the agents keep what belongs to their user, and where their package lies. */
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { here } from "../../io/beside.ts"

const agentFolder = (configFolder: string): string => {
  const set = process.env.PI_CODING_AGENT_DIR
  if (!set) return join(homedir(), configFolder, "agent")
  return set === "~" || set.startsWith("~/") ? homedir() + set.slice(1) : set
}

/** pi's; `PI_CODING_AGENT_DIR`, where set. */
export const getAgentDir = (): string => agentFolder(".pi")

/** oh-my-pi's; the same variable. */
export const getOmpAgentDir = (): string => agentFolder(".omp")

/** Of the package that answers: stepline's. */
export const getPackageDir = (): string => {
  let folder = dirname(here.startsWith("file:") ? fileURLToPath(here) : here)
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}
export const getReadmePath = (): string => join(getPackageDir(), "README.md")
export const getDocsPath = (): string => join(getPackageDir(), "docs")
export const getExamplesPath = (): string => join(getPackageDir(), "examples")
