/** What decides on command lines, in a bundle, which holds all that its modules name. */
import { CommandRules, readCommandLine } from "./commands.ts"

const commands = { CommandRules, readCommandLine }

/** What decides on command lines. */
export const loadCommands = (): typeof commands => commands
