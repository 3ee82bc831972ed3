/**
 * The mark of a run in the environment of all its processes: it stays with a process that leaves its group and session. A
 * run inside another has both marks.
 */
import { randomBytes } from "node:crypto"

const variable = "STEPLINE_RUN"

/** The common prefix of the marks of this process's runs. */
export const hostMark = `${randomBytes(12).toString("base64url")}.`

let runs = 0

export const newMark = (): string => `${hostMark}${++runs};`

/** Adds the mark of a run to an environment. */
export const addMark = (env: NodeJS.ProcessEnv, mark: string): NodeJS.ProcessEnv => {
  env[variable] = (env[variable] ?? "") + mark
  return env
}

/** Removes the mark. */
export const removeMark = (env: NodeJS.ProcessEnv, mark: string): void => {
  const rest = env[variable]?.replace(mark, "")
  if (rest === undefined || rest === "") delete env[variable]
  else env[variable] = rest
}
