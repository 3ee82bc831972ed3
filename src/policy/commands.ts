/**
 * The rules for command lines, which are most of this folder. Loaded with the first command line, because most programs have
 * none.
 */
export { readCommandLine } from "./command-line.ts"
export { CommandRules } from "./command-rules.ts"
