/** The agents' user folders, and the folder of their package. */
import { existsSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { here } from "../../io/beside.ts"
import { expandHome } from "../../text/expand-home.ts"

const agentFolder = (configFolder: string): string => {
  const set = process.env.PI_CODING_AGENT_DIR
  return set ? expandHome(set) : join(homedir(), configFolder, "agent")
}

/** pi's user folder; `PI_CODING_AGENT_DIR`, if set. */
export const getAgentDir = (): string => agentFolder(".pi")

/** oh-my-pi's user folder; the same variable. */
export const getOmpAgentDir = (): string => agentFolder(".omp")

/** The folder of the package that provides the stand-in: stepline's. */
export const getPackageDir = (): string => {
  let folder = dirname(here.startsWith("file:") ? fileURLToPath(here) : here)
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder)
  return folder
}
export const getReadmePath = (): string => join(getPackageDir(), "README.md")
export const getDocsPath = (): string => join(getPackageDir(), "docs")
export const getExamplesPath = (): string => join(getPackageDir(), "examples")
