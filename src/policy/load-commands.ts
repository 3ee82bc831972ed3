/**
 * Loads the rules for command lines with the first command line: they would be a third of the code that a fresh process reads
 * for the core. Bundlers use `bundled-commands.ts`.
 */
import { createRequire } from "node:module"

type Commands = typeof import("./commands.ts")

/** CommonJS, which a bundler may convert this to, has no `import.meta`. */
const here: string = import.meta.url ?? __filename

let commands: Commands | undefined

/** The rules for command lines. Throws if the parser's package is missing. */
export const loadCommands = (): Commands => {
  commands ??= createRequire(here)("./commands.js") as Commands
  return commands
}
