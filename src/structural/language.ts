/** The languages that can be searched and edited by structure, and their peculiarities. Data only. */
import { extname } from "node:path"

export type LanguagePackage = "@ast-grep/lang-python" | "@ast-grep/lang-rust" | "@ast-grep/lang-go"

export interface Language {
  readonly name: string
  /** File extensions, without the dot. */
  readonly extensions: ReadonlyArray<string>
  /** The parser's name for it. */
  readonly grammar: string
  /** The package with its grammar, if that is not built in. */
  readonly package?: LanguagePackage
  /** Replaces `$` when a pattern is parsed as code, in languages where identifiers cannot contain `$`. */
  readonly metaVariableLetter: string
  /** Contexts that a pattern can need to be parsed as intended; tried in order. */
  readonly contexts: ReadonlyArray<readonly [before: string, after: string]>
  /** Kinds of nodes whose line ends and indentation are content. */
  readonly verbatimKinds: ReadonlyArray<string>
  readonly commentKinds: ReadonlyArray<string>
  /** Kinds of nodes, in addition to `ERROR`, that the grammar produces for invalid code. */
  readonly faultyKinds: ReadonlyArray<string>
}

const bare = ["", ""] as const

const languageOf = (
  name: string,
  extensions: ReadonlyArray<string>,
  grammar: string,
  rest: Partial<Language> = {},
): Language => ({
  name,
  extensions,
  grammar,
  metaVariableLetter: "$",
  contexts: [bare],
  verbatimKinds: [],
  commentKinds: ["comment"],
  faultyKinds: [],
  ...rest,
})

const script = { verbatimKinds: ["template_string"] }

export const languages: ReadonlyArray<Language> = [
  languageOf("typescript", ["ts", "mts", "cts"], "TypeScript", script),
  languageOf("tsx", ["tsx"], "Tsx", script),
  languageOf("javascript", ["js", "jsx", "mjs", "cjs"], "JavaScript", script),
  languageOf("css", ["css"], "Css", {
    metaVariableLetter: "_",
    contexts: [bare, ["a { ", " }"]],
  }),
  languageOf("html", ["html", "htm"], "Html", {
    metaVariableLetter: "z",
    verbatimKinds: ["raw_text"],
    faultyKinds: ["erroneous_end_tag"],
  }),
  languageOf("python", ["py", "pyi"], "python", {
    package: "@ast-grep/lang-python",
    metaVariableLetter: "µ",
    verbatimKinds: ["string"],
  }),
  languageOf("rust", ["rs"], "rust", {
    package: "@ast-grep/lang-rust",
    metaVariableLetter: "µ",
    verbatimKinds: ["string_literal", "raw_string_literal"],
    commentKinds: ["line_comment", "block_comment"],
  }),
  languageOf("go", ["go"], "go", {
    package: "@ast-grep/lang-go",
    metaVariableLetter: "µ",
    // Outside of a function, `fmt.Println($A)` is parsed as a type conversion.
    contexts: [["func t() { ", " }"], bare],
    verbatimKinds: ["raw_string_literal"],
  }),
]

const byExtension = new Map(
  languages.flatMap((language) => language.extensions.map((extension) => [extension, language])),
)

/** Finds a language by the extension of a path. */
export const languageOfPath = (path: string): Language | undefined =>
  byExtension.get(extname(path).slice(1).toLowerCase())

/** Finds a language by its name, or by one of its extensions. */
export const languageNamed = (name: string): Language | undefined => {
  const wanted = name.trim().toLowerCase()
  return languages.find((language) => language.name === wanted) ?? byExtension.get(wanted)
}
