/** Where a user's state is kept. */
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

/** Stepline's part of `$XDG_STATE_HOME`, or of `~/.local/state` where that is not set, or, as its specification says, relative. */
export const stateFolder = ({ XDG_STATE_HOME: state }: NodeJS.ProcessEnv = process.env): string =>
  join(state !== undefined && isAbsolute(state) ? state : join(homedir(), ".local", "state"), "stepline")
