/** The rules for command lines, for bundles: a bundle contains all statically imported modules. */
import { CommandRules, readCommandLine } from "./commands.ts"

const commands = { CommandRules, readCommandLine }

/** Loads the rules for command lines. */
export const loadCommands = (): typeof commands => commands
