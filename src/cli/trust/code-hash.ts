/**
 * Collects and hashes all code that some modules can load: the folders that contain them, files that the code names by path,
 * and packages of the project that it imports, including the project itself. Imports are found by text, without running or
 * compiling anything, so it reads too much rather than too little. If code computes a name at run time, all code of the
 * project counts.
 */
import { createHash } from "node:crypto"
import type { Dirent, Stats } from "node:fs"
import { lstat, readdir, readlink, realpath } from "node:fs/promises"
import { dirname, join, relative, resolve, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { type JsonObject, readJsonObject } from "../../custom-tools/loading/folder-entries.ts"
import { isWithin } from "../../io/is-within.ts"
import { readRegular } from "../../text/regular-file.ts"
import { readImports, unfollowedIn } from "./import-texts.ts"

/** Above these limits there is no hash, because not everything is read. */
const maxEntries = 20_000
const maxBytes = 100_000_000

class TooMuchCode extends Error {}

const isModule = (path: string): boolean => /\.[cm]?[jt]sx?$/i.test(path)

const isCode = (path: string): boolean => isModule(path) || /\.(?:json|node|wasm)$/i.test(path)

const isAny = (_path: string): boolean => true

const extensions = [".ts", ".js", ".mts", ".mjs", ".cts", ".cjs", ".tsx", ".jsx", ".json", ".node"]

/** The files that a path in an import can refer to. */
const candidatesOf = (path: string): Array<string> => [
  path,
  ...extensions.map((extension) => path + extension),
  // TypeScript code can use the name of the compiled file.
  path.replace(/\.([cm]?)js(x?)$/, ".$1ts$2"),
  join(path, "package.json"),
  ...extensions.map((extension) => join(path, `index${extension}`)),
]

const statOf = (path: string): Promise<Stats | undefined> => lstat(path).catch(() => undefined)

/** All strings in `imports` or `exports` of a manifest, for all conditions. */
const textsOf = (value: unknown): Array<string> => {
  if (typeof value === "string") return [value]
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsOf) : []
}

/** The hash of a file's content, as in `ProjectFiles`. */
export const contentHash = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")

/** What was read, by path: for a file, the hash of its content. */
export type ProjectFiles = ReadonlyMap<string, string>

export interface HashedCode {
  /** Undefined if there is more than can be read. */
  readonly hash: string | undefined
  readonly files: ProjectFiles
  /** Where code loads something that is known only at run time: the path, and the code. */
  readonly unfollowed: ReadonlyArray<readonly [path: string, words: string]>
}

class CodeReader {
  /** What was read, by path. */
  readonly entries = new Map<string, string>()
  readonly unfollowed: Array<readonly [string, string]> = []
  private bytes = 0
  private readonly project: string
  /** Packages already looked for, with the importing folder. */
  private readonly sought = new Set<string>()
  /** Folders whose code was read completely. */
  private readonly walked = new Set<string>()
  private readonly manifests = new Map<string, JsonObject>()

  constructor(project: string) {
    this.project = project
  }

  /** Reads a file, a folder with its content, or a link's target. A missing path does not count. */
  async read(path: string): Promise<void> {
    if (this.entries.has(path)) return
    const info = await statOf(path)
    if (info === undefined) return
    if (info.isSymbolicLink()) return this.readLink(path)
    if (info.isDirectory()) return this.readFolder(path)
    if (info.isFile()) return this.readFile(path, info.size)
  }

  /** Reads all code below a folder, except for installed packages and `.git`. */
  private async readAllCode(folder: string): Promise<void> {
    // Every module with computed imports leads here.
    if (this.walked.has(folder)) return
    this.walked.add(folder)
    const entries = await readdir(folder, { withFileTypes: true }).catch((): Array<Dirent> => [])
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && !["node_modules", ".git"].includes(entry.name)) await this.readAllCode(path)
      else if (!entry.isDirectory() && isCode(path)) await this.read(path)
    }
  }

  private note(path: string, what: string): void {
    this.entries.set(path, what)
    if (this.entries.size > maxEntries) throw new TooMuchCode()
  }

  private async readLink(path: string): Promise<void> {
    this.note(path, `link ${await readlink(path).catch(() => "")}`)
    const target = await realpath(path).catch(() => undefined)
    // Following a link to a parent folder would read the whole project.
    if (target !== undefined && !isWithin(target, path)) await this.read(target)
  }

  private async readFolder(path: string): Promise<void> {
    this.note(path, "folder")
    const entries = await readdir(path, { withFileTypes: true }).catch((): Array<Dirent> => [])
    for (const { name } of entries) await this.read(join(path, name))
  }

  private async readFile(path: string, size: number): Promise<void> {
    this.bytes += size
    if (this.bytes > maxBytes) throw new TooMuchCode()
    const content = await readRegular(path, maxBytes).catch(() => undefined)
    this.note(path, content === undefined ? "unreadable" : contentHash(content))
    if (content !== undefined && isModule(path)) await this.follow(path, content.toString())
  }

  private async follow(path: string, text: string): Promise<void> {
    const isOfPackage = relative(this.project, path).split(sep).includes("node_modules")
    const { files, packages, isInternal } = readImports(text, isOfPackage)
    for (const name of files) {
      if (name.startsWith(".")) await this.readNamed(resolve(dirname(path), name))
      // An absolute path can be anything.
      else await this.readNamed(name.startsWith("file:") ? pathOfUrl(name) : name, isCode)
    }
    for (const name of packages) await this.readPackage(dirname(path), name)
    if (isInternal) await this.readManifest(dirname(path), "imports")
    if (isOfPackage) return
    const unfollowed = unfollowedIn(text)
    this.unfollowed.push(...unfollowed.map((words) => [path, words] as const))
    if (unfollowed.length > 0 && isWithin(this.project, path)) await this.readAllCode(this.project)
  }

  private async readNamed(path: string | undefined, isMeant = isAny): Promise<void> {
    for (const candidate of path === undefined ? [] : candidatesOf(path).filter(isMeant)) {
      const info = await statOf(candidate)
      if (info !== undefined && !info.isDirectory()) await this.read(candidate)
    }
  }

  /** Reads a package, searching from the importing folder up to the project: folders above belong to the user. */
  private async readPackage(from: string, name: string): Promise<void> {
    for (let folder = from; isWithin(this.project, folder); folder = dirname(folder)) {
      const key = JSON.stringify([folder, name])
      if (this.sought.has(key)) return
      this.sought.add(key)
      await this.read(join(folder, "node_modules", name))
      if (folder === from) await this.readManifest(from, "exports", name)
      if (folder === dirname(folder)) return
    }
  }

  /**
   * Reads the targets of `#names`, or of the package's own name, in the nearest manifest.
   *
   * @param name The imported package; the manifest must have this name.
   */
  private async readManifest(from: string, field: "imports" | "exports", name?: string): Promise<void> {
    for (let folder = from; isWithin(this.project, folder); folder = dirname(folder)) {
      const path = join(folder, "package.json")
      if ((await statOf(path)) !== undefined) {
        const manifest = this.manifestAt(path)
        if (name !== undefined && manifest.name !== name) return
        await this.read(path)
        for (const text of textsOf(manifest[field])) await this.readTarget(folder, text)
        return
      }
      if (folder === dirname(folder)) return
    }
  }

  private manifestAt(path: string): JsonObject {
    const known = this.manifests.get(path) ?? readJsonObject(path)
    this.manifests.set(path, known)
    return known
  }

  private async readTarget(folder: string, text: string): Promise<void> {
    const star = text.indexOf("*")
    if (!text.startsWith("./")) return this.readPackage(folder, packageOf(text))
    if (star < 0) return this.readNamed(resolve(folder, text))
    await this.readAllCode(resolve(folder, text.slice(0, text.lastIndexOf("/", star) + 1)))
  }
}

const packageOf = (specifier: string): string =>
  specifier.split("/", specifier.startsWith("@") ? 2 : 1).join("/")

const pathOfUrl = (url: string): string | undefined => {
  try {
    return fileURLToPath(url)
  } catch {
    return undefined
  }
}

/**
 * @param roots Files and folders, with links resolved; a missing path does not count.
 * @param project Their project folder, with links resolved.
 */
export const hashCode = async (roots: ReadonlyArray<string>, project: string): Promise<HashedCode> => {
  const reader = new CodeReader(project)
  const { entries: files, unfollowed } = reader
  try {
    for (const root of roots) await reader.read(root)
    for (const name of ["package.json", "tsconfig.json"]) await reader.read(join(project, name))
  } catch (error) {
    if (error instanceof TooMuchCode) return { hash: undefined, files, unfollowed }
    throw error
  }
  const lines = [...files].map(([path, what]) => JSON.stringify([relative(project, path), what]))
  return { hash: contentHash(Buffer.from(lines.sort().join("\n"))), files, unfollowed }
}
