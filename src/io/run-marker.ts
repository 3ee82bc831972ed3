/**
 * The mark that a run leaves in the environment of all that it starts: the one thing that a process keeps which leaves
 * its group and its session. A run inside another one has both marks.
 */
import { randomBytes } from "node:crypto"

const variable = "STEPLINE_RUN"

/** Part of the marks of all runs of this process. */
export const hostMark = `${randomBytes(12).toString("base64url")}.`

let runs = 0

export const newMark = (): string => `${hostMark}${++runs};`

/** Puts the mark of one more run into an environment. */
export const addMark = (env: NodeJS.ProcessEnv, mark: string): NodeJS.ProcessEnv => {
  env[variable] = (env[variable] ?? "") + mark
  return env
}

/** Takes it out again. */
export const removeMark = (env: NodeJS.ProcessEnv, mark: string): void => {
  const rest = env[variable]?.replace(mark, "")
  if (rest === undefined || rest === "") delete env[variable]
  else env[variable] = rest
}
