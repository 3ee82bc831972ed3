/**
 * Finds the files for a list of paths. A named file is always included; folders and globs include files of the known
 * languages that no `.gitignore` ignores. Links are not followed.
 */
import { join, relative, sep } from "node:path"
import type { Files } from "../io/files.ts"
import { walkFolder } from "../io/walk-folder.ts"
import { withoutTrailing } from "../text/without-trailing.ts"
import { type Language, languageNamed, languageOfPath, languages } from "./language.ts"
import { StructuralError } from "./structural-error.ts"

export interface SourceFile {
  /** In the form of the given path. */
  readonly path: string
  /** Absolute, with every link resolved. */
  readonly real: string
  readonly language: Language
}

export interface SourceQuery {
  /** Files, folders and globs; one that begins with `!` excludes files. */
  readonly paths: ReadonlyArray<string>
  /** A language's name. Default: by extension. */
  readonly lang?: string | undefined
  /** The base of relative paths; absolute. */
  readonly cwd: string
  /** Resolves links; rejects if a path must not be read. */
  readonly locate: (path: string) => Promise<string>
  readonly signal: AbortSignal
  /** Called for each path that is skipped because it cannot be read. */
  readonly passOver: (path: string, reason: string) => void
  /** Whether a rule forbids reading a file. Default: none. */
  readonly denies?: (path: string) => boolean
}

export interface SourceFiles {
  /** Each file once, in the order of the paths, then of names. */
  readonly found: ReadonlyArray<SourceFile>
  /** How many more files a rule excluded. */
  readonly denied: number
}

const maxFiles = 100_000
const unwalked: ReadonlySet<string> = new Set([".git", "node_modules"])

const expectLanguage = (name: string): Language => {
  const language = languageNamed(name)
  if (language !== undefined) return language
  const known = languages.map((each) => each.name).join(", ")
  throw new StructuralError(`Unknown language ${name}. Known are: ${known}.`)
}

/** Yields the paths of files, relative to the folder. */
async function* walk(
  files: Files,
  folder: string,
  { cwd, signal, passOver }: SourceQuery,
  maxDepth = Number.POSITIVE_INFINITY,
): AsyncGenerator<string, void> {
  const entries = walkFolder(files, { folder, top: cwd, unwalked, maxDepth, signal, passOver })
  for await (const { path, kind } of entries) if (kind === "file") yield path
}

const isExclusion = (path: string): boolean => path.startsWith("!")

type Picomatch = typeof import("picomatch")

const slashed = (path: string): string => (sep === "/" ? path : path.split(sep).join("/"))

/** How deep a glob can reach below its base. */
const depthOf = (glob: string): number =>
  /\*\*|[{(]/.test(glob) ? Number.POSITIVE_INFINITY : glob.split("/").length

class SourceSearch {
  private readonly found = new Map<string, SourceFile>()
  private readonly denied = new Set<string>()
  private readonly files: Files
  private readonly query: SourceQuery
  private readonly picomatch: Picomatch
  private readonly forced: Language | undefined
  private readonly isExcluded: (path: string) => boolean

  constructor(files: Files, query: SourceQuery, picomatch: Picomatch) {
    this.files = files
    this.query = query
    this.picomatch = picomatch
    this.forced = query.lang === undefined ? undefined : expectLanguage(query.lang)
    const excluded = query.paths.filter(isExclusion).flatMap((path) => this.exclusion(path.slice(1)))
    this.isExcluded = (path) => excluded.some((matches) => matches(path))
  }

  async run(): Promise<SourceFiles> {
    for (const path of this.query.paths) if (!isExclusion(path)) await this.addPath(path)
    return { found: [...this.found.values()], denied: this.denied.size }
  }

  private matcher(glob: string, basename = false): (path: string) => boolean {
    const matches = this.picomatch(slashed(glob).replace(/^\.\//, ""), { dot: true, basename })
    return (path) => matches(slashed(path))
  }

  /** A bare name matches at any depth, and a folder includes everything below it. */
  private exclusion(glob: string): Array<(path: string) => boolean> {
    const whole = withoutTrailing(glob, "/")
    if (whole.includes("/")) return [this.matcher(whole), this.matcher(`${whole}/**`)]
    return [this.matcher(whole, true), this.matcher(`**/${whole}/**`)]
  }

  private async addPath(path: string): Promise<void> {
    const real = await this.query.locate(path)
    const info = await this.files.stat(real)
    if (info?.kind === "file") return this.addNamedFile(path, real)
    if (info?.kind === "directory") return this.addFolder(path, real)
    if (info?.kind === "other")
      throw new StructuralError(`${path} is not a regular file. Leave it out of paths.`)
    if (this.picomatch.scan(path).isGlob) return this.addGlob(path)
    throw new StructuralError(
      `File or folder not found: ${path}. Check the path; relative paths start at the working directory.`,
    )
  }

  private addNamedFile(path: string, real: string): void {
    const language = this.forced ?? languageOfPath(path)
    if (language === undefined) {
      throw new StructuralError(`The language of ${path} is not known from its extension. Name it with lang.`)
    }
    this.add(path, real, language)
  }

  private async addFolder(path: string, real: string): Promise<void> {
    for await (const name of walk(this.files, real, this.query)) {
      const language = languageOfPath(name)
      if (language === undefined || (this.forced ?? language) !== language) continue
      this.add(join(path, name), join(real, name), language)
    }
  }

  /** Here `lang` applies to every file, because the glob selects them. */
  private async addGlob(path: string): Promise<void> {
    const { base, glob } = this.picomatch.scan(path)
    const folder = base === "" ? "." : base
    const real = await this.query.locate(folder)
    if ((await this.files.stat(real))?.kind !== "directory") return
    const matches = this.matcher(glob)
    for await (const name of walk(this.files, real, this.query, depthOf(glob))) {
      if (!matches(name)) continue
      const language = this.forced ?? languageOfPath(name)
      if (language !== undefined) this.add(join(folder, name), join(real, name), language)
    }
  }

  private add(path: string, real: string, language: Language): void {
    if (this.found.has(real) || this.isExcluded(path)) return
    if (this.isExcluded(relative(this.query.cwd, real))) return
    if (this.query.denies?.(real) === true) {
      this.denied.add(real)
      return
    }
    this.found.set(real, { path, real, language })
    if (this.found.size > maxFiles) {
      throw new StructuralError(`The paths hold more than ${maxFiles} files. Name fewer folders.`)
    }
  }
}

/** Rejects with a StructuralError for a path that does not exist. */
export const findSourceFiles = async (files: Files, query: SourceQuery): Promise<SourceFiles> => {
  const { default: picomatch } = await import("picomatch")
  const cwd = await files.resolveLinks(query.cwd)
  return new SourceSearch(files, { ...query, cwd }, picomatch).run()
}
