/**
 * Loads the rules for command lines when the first is decided: they would be a third of what a fresh process reads of the core.
 * Bundlers take `bundled-commands.ts`.
 */
import { createRequire } from "node:module"

type Commands = typeof import("./commands.ts")

/** CommonJS, which a bundler may make of this, has no `import.meta`. */
const here: string = import.meta.url ?? __filename

let commands: Commands | undefined

/** The rules for command lines. Throws if the package of the parser is missing. */
export const loadCommands = (): Commands => {
  commands ??= createRequire(here)("./commands.js") as Commands
  return commands
}
