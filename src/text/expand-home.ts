/** Paths in the user's home folder, as shells write them. */
import { homedir } from "node:os"

/** Replaces `~` at the start of a path; `~name` stays. */
export const expandHome = (path: string, home: string = homedir()): string =>
  path === "~" || path.startsWith("~/") ? home + path.slice(1) : path
