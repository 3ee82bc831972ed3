/**
 * Caches compiled modules for later processes: a file each, named by a hash of everything that the result depends on, in a
 * private folder of the user's cache. jiti's own cache is not suitable: others can write into it, it grows forever, its
 * files can be half written, and it does not store a module's imports.
 */
import { createHash, randomUUID } from "node:crypto"
import {
  closeSync,
  constants,
  fstatSync,
  futimesSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  writeFileSync,
} from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { requireBeside } from "../../io/beside.ts"
import { newestFirst } from "../../io/history/kept-content.ts"
import { privateFolder, uid } from "../../io/private-folder.ts"
import { cacheFolder } from "../../io/state-folder.ts"

/** A module's compiled code, and information from its syntax. */
export interface TransformedModule {
  readonly code: string
  readonly isEsm: boolean
  /** The imports of an ES module, in order. */
  readonly imports: ReadonlyArray<string>
}

/** Increase it with every change of the compilation result. */
const revision = 2

/** Maximum bytes of all files together. */
const defaultMaxBytes = 100_000_000

/** Milliseconds after which a used file is marked as new again. */
const renewedAfter = 24 * 60 * 60 * 1000

const sha256 = (...parts: ReadonlyArray<string>): string => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest("hex")
}

/** Whether only this user can have written the file. Windows has no such modes: there only the folder protects it. */
const isOwn = (info: Stats): boolean =>
  info.isFile() && info.uid === uid && (process.platform === "win32" || (info.mode & 0o077) === 0)

export class CompileCache {
  private readonly folder: string
  private readonly maxBytes: number
  private readonly versions: string
  /** Bytes written since the last scan of the folder. */
  private written = Number.POSITIVE_INFINITY

  /** Opens the cache; resolves with undefined if its folder cannot be made. */
  static async open(maxBytes = defaultMaxBytes): Promise<CompileCache | undefined> {
    const folder = await privateFolder(join(cacheFolder(), "compiled"))
    return folder === undefined ? undefined : new CompileCache(folder, maxBytes)
  }

  private constructor(folder: string, maxBytes: number) {
    this.folder = folder
    this.maxBytes = maxBytes
    const { version } = requireBeside("jiti/package.json") as { readonly version: string }
    this.versions = JSON.stringify([revision, version, process.version])
  }

  /**
   * Returns the result of `transform` for a source, from the cache if possible.
   *
   * @param kind What else the result depends on, such as the language.
   */
  get(source: string, kind: string, transform: () => TransformedModule): TransformedModule {
    const path = join(this.folder, sha256(this.versions, kind, "\n", source))
    const known = this.read(path)
    if (known !== undefined) return known
    const made = transform()
    this.write(path, made)
    return made
  }

  private read(path: string): TransformedModule | undefined {
    try {
      const text = readOwn(path)
      const end = text.indexOf("\n")
      const body = text.slice(end + 1)
      // After a system crash, the file can be incomplete.
      if (text.slice(0, end) !== sha256(body)) return undefined
      return JSON.parse(body) as TransformedModule
    } catch {
      return undefined
    }
  }

  private write(path: string, made: TransformedModule): void {
    const body = JSON.stringify(made)
    const staged = join(this.folder, `${randomUUID()}.tmp`)
    try {
      writeFileSync(staged, `${sha256(body)}\n${body}`, { flag: "wx", mode: 0o600 })
      // If two processes write the same file, the last one wins.
      renameSync(staged, path)
    } catch {
      // For example a full disk: then the module is compiled again.
      rmSync(staged, { force: true })
    }
    this.written += body.length
    if (this.written < this.maxBytes / 10) return
    this.written = 0
    void this.prune().catch(() => {})
  }

  /** Removes the oldest files above the limit. */
  private async prune(): Promise<void> {
    let bytes = 0
    for (const { path, size } of await newestFirst(this.folder)) {
      bytes += size
      if (bytes > this.maxBytes) await rm(path, { force: true })
    }
  }
}

/** Reads a file. Throws if somebody else could have written it. */
const readOwn = (path: string): string => {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  try {
    const info = fstatSync(file)
    if (!isOwn(info)) throw new Error(`${path} is not this user's alone`)
    const now = Date.now()
    if (now - info.mtimeMs > renewedAfter) futimesSync(file, now / 1000, now / 1000)
    return readFileSync(file, "utf8")
  } finally {
    closeSync(file)
  }
}
