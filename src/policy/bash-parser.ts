/** The parser of bash, loaded for the first command line: most programs never read one. Bundlers take `bundled-bash-parser.ts`. */
import { createRequire } from "node:module"

type BashParser = typeof import("unbash")

/** CommonJS, which a bundler may make of this, has no `import.meta`. */
const here: string = import.meta.url ?? __filename

let parser: BashParser | undefined

/** The parser. Throws where the package is gone. */
export const bashParser = (): BashParser => {
  parser ??= createRequire(here)("unbash") as BashParser
  return parser
}
