/** Source code and diffs for pi's renderers. Nothing is coloured, because there is no theme. */
import { extname } from "node:path"
import { requireBeside } from "../../io/beside.ts"
import { type NumberedDiff, numberedDiff } from "./tool-factories/numbered-diff.ts"

/** Languages, each with the extensions that differ from its name. */
const languages = `
  typescript ts tsx | javascript js jsx mjs cjs | python py | ruby rb | rust rs | go | java | kotlin kt | swift | c h
  cpp cc cxx hpp | csharp cs | php | dart | groovy gradle | nix | bash sh zsh | fish | powershell ps1 | sql
  html htm | css | scss | sass | less | json | yaml yml | toml | xml | markdown md | dockerfile | makefile | cmake
  lua | perl | r | scala | clojure clj | elixir ex exs | erlang erl | haskell hs | ocaml ml | vim | graphql
  protobuf proto | hcl tf`

const languageOf = new Map(
  languages.split(/[|\n]/).flatMap((row) => {
    const [name = "", ...extensions] = row.trim().split(" ")
    return [name, ...extensions].map((extension) => [extension, name] as const)
  }),
)

/** The language for a path's extension, or for the name of a file without one; undefined if neither is known. */
export const getLanguageFromPath = (path: string): string | undefined =>
  languageOf.get((extname(path).slice(1) || path.split("/").at(-1) || "").toLowerCase()) || undefined

/** Returns the lines unchanged. */
export const highlightCode = (code: string, _language?: string): Array<string> => code.split("\n")

/** Returns the diff unchanged. */
export const renderDiff = (diff: string): string => diff

/** Loaded when needed: it takes longer than everything else here. */
const compare = (path: string, before: string, after: string, context?: number) =>
  numberedDiff(requireBeside("diff"), path, before, after, context)

export const generateDiffString = (before: string, after: string, context?: number): NumberedDiff => {
  const { patch: _patch, ...diff } = compare("", before, after, context)
  return diff
}

/** Returns an empty patch if the texts differ too much to be compared in time. */
export const generateUnifiedPatch = (path: string, before: string, after: string, context?: number): string =>
  compare(path, before, after, context).patch
