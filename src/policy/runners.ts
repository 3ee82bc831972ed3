/** Programs that run another program, which a word behind them names: `npx eslint`, `uv run pytest`, `python -m json.tool`. */
import { names } from "./names.ts"
import { programName, type ShellWord } from "./shell-word.ts"

const always = new Set(names("npx bunx pnpx uvx yarn corepack c8 nyc cross-env dotenvx nodemon"))
const managers = new Set(
  names("npm pnpm bun uv pipx poetry pipenv pdm hatch rye bundle mise conda micromamba"),
)
/** npm accepts unambiguous prefixes of a verb, currently `exe`. */
const verbs = new Set(names("exec x dlx run tool runx exe"))
/** `npm create x` runs the package `create-x`, and `npm explore x` any program that follows. */
const creators = new Set(names("create init innit explore cr cre crea creat ini inni explor"))
/** `npm run` runs a script of the project, and nothing else. */
const scriptManagers = new Set(names("npm pnpm bun"))
const packageRunners = new Set([...scriptManagers, "yarn"])
/** Programs that run a script, named by its path: `node node_modules/.bin/eslint`. */
const scriptHosts = new Set(names("node nodejs tsx deno"))
const installed = /(^|\/)node_modules\//
const module = /^-[A-Za-z]*?m([a-z][\w.]+)?$/

export interface Runner {
  /** The first word that may name the program to run. */
  readonly from: number
  /** Whether any program may run. */
  readonly any: boolean
  /** Whether a program other than the one of that name runs. */
  readonly other?: true
}

/** Undefined for a command that is not a runner. */
export const runnerOf = (words: ReadonlyArray<ShellWord>): Runner | undefined => {
  const program = programName(words[0]?.text ?? "")
  if (packageRunners.has(program)) {
    // A word after an option may be the option's value.
    const isFirst = (at: number) =>
      words
        .slice(1, at)
        .every(({ text }, before) => text.startsWith("-") || words[before]!.text.startsWith("-"))
    const creator = words.findIndex(({ text }, at) => at > 0 && creators.has(text) && isFirst(at))
    const isCreated = words.slice(creator + 1).some(({ text }) => !text.startsWith("-"))
    if (creator > 0 && isCreated) return { from: creator + 1, any: true, other: true }
  }
  if (always.has(program)) return { from: 1, any: true }
  if (/^python[\d.]*$/.test(program)) {
    const at = words.findIndex(({ text }) => module.test(text))
    return at < 0 ? undefined : { from: at, any: false }
  }
  if (scriptHosts.has(program)) {
    const at = words.findIndex(({ text }) => installed.test(text))
    return at < 0 ? undefined : { from: at, any: false }
  }
  if (!managers.has(program)) return undefined
  const at = words.findIndex(({ text }, index) => index > 0 && verbs.has(text))
  const isScript = scriptManagers.has(program) && words[at]?.text === "run"
  return at < 0 ? undefined : { from: at + 1, any: !isScript }
}

/** The program that a word names: `-mjson.tool` is `json.tool`, `eslint@9` and `eslint.js` are `eslint`. */
export const namedProgram = ({ text }: ShellWord): string =>
  module.exec(text)?.[1] ?? programName(text).replace(/(?<=.)(@[\w.^~*-]+|\.[cm]?js)$/, "")
