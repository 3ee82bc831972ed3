/** What a module's text names that it may load. It is not parsed: a text that only looks like an import counts as one. */

/** A text that may be a path, relative or absolute, or a `file:` URL. */
const pathText = /["'`]((?:\.{1,2}(?:\/[^"'`\n]*)?)|(?:file:\/\/)?\/[^"'`\n]+)["'`]/g

const packageName = String.raw`((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/[^"'\`\n]*)?`
/** Any text that could be a package's name, and one where code imports it. */
const anyPackage = new RegExp(`["'\`]${packageName}["'\`]`, "g")
const importedPackage = new RegExp(
  `(?:\\bfrom|\\bimport|\\brequire)\\s*\\(?\\s*["'\`]${packageName}["'\`]`,
  "g",
)

/** What loaders give to those who only ask for it. */
const given = [
  [/\bzod\b/, "zod"],
  [/\bpi\b/, "@oh-my-pi/pi-coding-agent"],
] as const

/** A name that the package's manifest gives a meaning. */
const internalName = /["'`]#[^"'`\n]+["'`]/

export interface NamedImports {
  readonly files: ReadonlySet<string>
  readonly packages: ReadonlySet<string>
  /** Whether it has names that begin with `#`. */
  readonly isInternal: boolean
}

/** @param isOfPackage Packages have many texts, and say what they import. */
export const readImports = (text: string, isOfPackage: boolean): NamedImports => ({
  files: new Set([...text.matchAll(pathText)].map(([, name]) => name!)),
  packages: new Set([
    ...[...text.matchAll(isOfPackage ? importedPackage : anyPackage)].map(([, name]) => name!),
    ...(isOfPackage ? [] : given.filter(([word]) => word.test(text)).map(([, name]) => name)),
  ]),
  isInternal: internalName.test(text),
})

/** What loads a module of a name that is no plain text, or by another way. */
const computed = [
  /(?<![\w$.])(?:import|require)\s*\(\s*(?!["'][^"'\n]*["']\s*[,)]|`[^`$]*`\s*[,)])[^\n]{0,60}/g,
  /\b(?:createRequire|dlopen|registerHooks)\s*\([^\n]{0,60}/g,
  /\b(?:require|module|Module)\s*(?:\[|\.(?:require|_load|_compile)\b)[^\n]{0,60}/g,
  /\bnew\s+(?:Worker|Function)\s*\([^\n]{0,60}/g,
  /(?<![\w$.])eval\s*\([^\n]{0,60}/g,
  /["'`](?:node:)?vm["'`]/g,
]

/** The words of a module that load what nobody can tell before it runs. */
export const unfollowedIn = (text: string): Array<string> =>
  computed.flatMap((pattern) => [...text.matchAll(pattern)].map(([words]) => words.trim()))
