/**
 * What decides on command lines, loaded for the first of them: it would be a third of what a fresh process reads of the core.
 * Bundlers take `bundled-commands.ts`.
 */
import { createRequire } from "node:module"

type Commands = typeof import("./commands.ts")

/** CommonJS, which a bundler may make of this, has no `import.meta`. */
const here: string = import.meta.url ?? __filename

let commands: Commands | undefined

/** What decides on command lines. Throws where the package of the parser is gone. */
export const loadCommands = (): Commands => {
  commands ??= createRequire(here)("./commands.js") as Commands
  return commands
}
