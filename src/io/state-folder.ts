/** The folders for a user's state, and for caches. */
import { homedir } from "node:os"
import { isAbsolute, join } from "node:path"

/**
 * A variable that is unset or relative is ignored, as the XDG specification requires, and the folder in the home folder is
 * used.
 */
const ours = (set: string | undefined, ...inHome: ReadonlyArray<string>): string =>
  join(set !== undefined && isAbsolute(set) ? set : join(homedir(), ...inHome), "stepline")

/** Stepline's part of `$XDG_STATE_HOME`, or of `~/.local/state`. */
export const stateFolder = ({ XDG_STATE_HOME }: NodeJS.ProcessEnv = process.env): string =>
  ours(XDG_STATE_HOME, ".local", "state")

/** Stepline's part of `$XDG_CACHE_HOME`, or of `~/.cache`. */
export const cacheFolder = ({ XDG_CACHE_HOME }: NodeJS.ProcessEnv = process.env): string =>
  ours(XDG_CACHE_HOME, ".cache")
