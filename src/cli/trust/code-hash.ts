/**
 * One hash of all code that some modules may run: the trees that they lie in, what any of it names by a relative path,
 * and the packages of the project that it imports. Imports are found by their text, without running or compiling
 * anything, so that rather too much is read; a path that is put together while the code runs is not seen.
 */
import { createHash } from "node:crypto"
import type { Dirent, Stats } from "node:fs"
import { lstat, readdir, readFile, readlink, realpath } from "node:fs/promises"
import { dirname, join, relative, resolve, sep } from "node:path"

/** Past these, what belongs to it is no longer read as a whole, and there is no hash. */
const maxEntries = 20_000
const maxBytes = 100_000_000

class TooMuchCode extends Error {}

const isModule = (path: string): boolean => /\.[cm]?[jt]sx?$/i.test(path)

/** A text that may be a relative path, and one that may be a package's name where code imports one. */
const relativeText = /["'`](\.{1,2}(?:\/[^"'`\n]*)?)["'`]/g
const packageText =
  /(?:\bfrom|\bimport|\brequire)\s*\(?\s*["'`]((?:@[\w.-]+\/)?[\w-][\w.-]*)(?:\/[^"'`\n]*)?["'`]/g

const extensions = [".ts", ".js", ".mts", ".mjs", ".cts", ".cjs", ".tsx", ".jsx", ".json", ".node"]

/** The files that a path in an import may mean. */
const candidatesOf = (path: string): Array<string> => [
  path,
  ...extensions.map((extension) => path + extension),
  // TypeScript's authors write the name that the compiled file would have.
  path.replace(/\.([cm]?)js(x?)$/, ".$1ts$2"),
  join(path, "package.json"),
  ...extensions.map((extension) => join(path, `index${extension}`)),
]

const statOf = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined)

const isInside = (folder: string, path: string): boolean =>
  path === folder || path.startsWith(folder + (folder.endsWith(sep) ? "" : sep))

class CodeReader {
  /** What was read, by its path. */
  readonly entries = new Map<string, string>()
  private bytes = 0
  private readonly project: string

  constructor(project: string) {
    this.project = project
  }

  /** A file, a folder with all that is in it, or what a link leads to. What is not there does not count. */
  async read(path: string): Promise<void> {
    if (this.entries.has(path)) return
    const info = await statOf(path)
    if (info === undefined) return
    if (info.isSymbolicLink()) return this.readLink(path)
    if (info.isDirectory()) return this.readFolder(path)
    if (info.isFile()) return this.readFile(path, info.size)
  }

  private note(path: string, what: string): void {
    this.entries.set(path, what)
    if (this.entries.size > maxEntries) throw new TooMuchCode()
  }

  private async readLink(path: string): Promise<void> {
    this.note(path, `link ${await readlink(path).catch(() => "")}`)
    const target = await realpath(path).catch(() => undefined)
    // A link to a folder around it would bring in all of the project.
    if (target !== undefined && !isInside(target, path)) await this.read(target)
  }

  private async readFolder(path: string): Promise<void> {
    this.note(path, "folder")
    const entries = await readdir(path, { withFileTypes: true }).catch((): Array<Dirent> => [])
    for (const { name } of entries) await this.read(join(path, name))
  }

  private async readFile(path: string, size: number): Promise<void> {
    this.bytes += size
    if (this.bytes > maxBytes) throw new TooMuchCode()
    const content = await readFile(path).catch(() => undefined)
    this.note(path, content === undefined ? "unreadable" : createHash("sha256").update(content).digest("hex"))
    if (content !== undefined && isModule(path)) await this.readImports(path, content.toString("utf8"))
  }

  private async readImports(path: string, text: string): Promise<void> {
    for (const [, specifier] of text.matchAll(relativeText)) {
      for (const candidate of candidatesOf(resolve(dirname(path), specifier!))) {
        const info = await statOf(candidate)
        if (info !== undefined && !info.isDirectory()) await this.read(candidate)
      }
    }
    for (const [, name] of text.matchAll(packageText)) await this.readPackage(dirname(path), name!)
  }

  /** From where it is imported up to the project: what lies above is the user's own. */
  private async readPackage(from: string, name: string): Promise<void> {
    for (let folder = from; isInside(this.project, folder); folder = dirname(folder)) {
      await this.read(join(folder, "node_modules", name))
      if (folder === dirname(folder)) return
    }
  }
}

/**
 * @param roots Files and folders, with their links resolved; what is not there does not count.
 * @param project The real folder that they belong to.
 * @returns Undefined where there is more than can be read.
 */
export const hashCode = async (
  roots: ReadonlyArray<string>,
  project: string,
): Promise<string | undefined> => {
  const reader = new CodeReader(project)
  try {
    for (const root of roots) await reader.read(root)
    for (const name of ["package.json", "tsconfig.json"]) await reader.read(join(project, name))
  } catch (error) {
    if (error instanceof TooMuchCode) return undefined
    throw error
  }
  const lines = [...reader.entries].map(([path, what]) => JSON.stringify([relative(project, path), what]))
  return createHash("sha256").update(lines.sort().join("\n")).digest("hex")
}
