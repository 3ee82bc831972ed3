/** What decides on command lines, in a bundle, which holds all that its modules name. */
import * as commands from "./commands.ts"

/** What decides on command lines. */
export const loadCommands = (): typeof commands => commands
