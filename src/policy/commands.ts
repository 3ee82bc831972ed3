/** What decides on command lines: most of this folder, which most programs never need. It is loaded for the first of them. */
export { readCommandLine } from "./command-line.ts"
export { CommandRules } from "./command-rules.ts"
