/** Source code and diffs for pi's renderers. Nothing is coloured, because there is no theme. */
import { extname } from "node:path"
import { requireBeside } from "../../io/beside.ts"
import { type NumberedDiff, numberedDiff } from "./tool-factories/numbered-diff.ts"

const languages: Readonly<Record<string, string>> = {
  ...{ ts: "typescript", tsx: "typescript", js: "javascript", jsx: "javascript", mjs: "javascript" },
  ...{ cjs: "javascript", py: "python", rb: "ruby", rs: "rust", kt: "kotlin", h: "c", cc: "cpp", cxx: "cpp" },
  ...{ hpp: "cpp", cs: "csharp", sh: "bash", zsh: "bash", ps1: "powershell", htm: "html", yml: "yaml" },
  ...{
    md: "markdown",
    ex: "elixir",
    exs: "elixir",
    erl: "erlang",
    hs: "haskell",
    ml: "ocaml",
    clj: "clojure",
  },
  ...{ proto: "protobuf", tf: "hcl", gradle: "groovy" },
}

/** Languages whose file extension is their name. */
const sameNames = new Set(
  (
    "go java swift dart groovy nix c cpp php bash fish sql html css scss sass less json yaml toml xml markdown " +
    "dockerfile makefile cmake lua perl r scala vim graphql hcl"
  ).split(" "),
)

/** The language for a path's extension; undefined for an unknown one. */
export const getLanguageFromPath = (path: string): string | undefined => {
  const ending = (extname(path).slice(1) || path.split("/").at(-1) || "").toLowerCase()
  if (Object.hasOwn(languages, ending)) return languages[ending]
  return sameNames.has(ending) ? ending : undefined
}

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
