/** Finds what a module can load, in its text. The text is not parsed: anything that looks like an import counts as one. */

/** A string that can be a path, relative or absolute, or a `file:` URL. */
const pathText = /["'`]((?:\.{1,2}(?:\/[^"'`\n]*)?)|(?:file:\/\/)?\/[^"'`\n]+)["'`]/g

const packageName = String.raw`((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/[^"'\`\n]*)?`
/** Any string that can be a package name, and one that is imported. */
const anyPackage = new RegExp(`["'\`]${packageName}["'\`]`, "g")
const importedPackage = new RegExp(
  `(?:\\bfrom|\\bimport|\\brequire)\\s*\\(?\\s*["'\`]${packageName}["'\`]`,
  "g",
)

/** Packages that loaders provide to modules that use their names. */
const given = [
  [/\bzod\b/, "zod"],
  [/\bpi\b/, "@oh-my-pi/pi-coding-agent"],
] as const

/** A name that the package's manifest defines. */
const internalName = /["'`]#[^"'`\n]+["'`]/

export interface NamedImports {
  readonly files: ReadonlySet<string>
  readonly packages: ReadonlySet<string>
  /** Whether the text has names that begin with `#`. */
  readonly isInternal: boolean
}

/** @param isOfPackage Packages contain many strings, so in them only explicit imports count. */
export const readImports = (text: string, isOfPackage: boolean): NamedImports => ({
  files: new Set([...text.matchAll(pathText)].map(([, name]) => name!)),
  packages: new Set([
    ...[...text.matchAll(isOfPackage ? importedPackage : anyPackage)].map(([, name]) => name!),
    ...(isOfPackage ? [] : given.filter(([word]) => word.test(text)).map(([, name]) => name)),
  ]),
  isInternal: internalName.test(text),
})

/** Code that loads a module by a computed name, or in another way. */
const computed = [
  /(?<![\w$.])(?:import|require)\s*\(\s*(?!["'][^"'\n]*["']\s*[,)]|`[^`$]*`\s*[,)])[^\n]{0,60}/g,
  /\b(?:createRequire|dlopen|registerHooks)\s*\([^\n]{0,60}/g,
  /\b(?:require|module|Module)\s*(?:\[|\.(?:require|_load|_compile)\b)[^\n]{0,60}/g,
  /\bnew\s+(?:Worker|Function)\s*\([^\n]{0,60}/g,
  /(?<![\w$.])eval\s*\([^\n]{0,60}/g,
  /["'`](?:node:)?vm["'`]/g,
]

/** The code of a module that loads something known only at run time. */
export const unfollowedIn = (text: string): Array<string> =>
  computed.flatMap((pattern) => [...text.matchAll(pattern)].map(([words]) => words.trim()))
