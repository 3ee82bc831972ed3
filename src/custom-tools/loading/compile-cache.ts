/**
 * Keeps what modules compile to, so that the next process need not compile them: a file each, named by all that the result
 * depends on, in a folder of the user's cache that nobody else can enter. jiti's own cache would not do: others may write into it,
 * it grows for ever, a file of it may be half written, and it knows nothing of a module's imports.
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

/** A module's code as it is run, and what its syntax tells. */
export interface TransformedModule {
  readonly code: string
  readonly isEsm: boolean
  /** What an ES module imports, in order. */
  readonly imports: ReadonlyArray<string>
}

/** To be raised with every change of what is made of a source. */
const revision = 2

/** Bytes of all files together. */
const defaultMaxBytes = 100_000_000

/** Milliseconds after which what is used counts as new again. */
const renewedAfter = 24 * 60 * 60 * 1000

const sha256 = (...parts: ReadonlyArray<string>): string => {
  const hash = createHash("sha256")
  for (const part of parts) hash.update(part)
  return hash.digest("hex")
}

/** Nobody but this user can have written it. Windows has no such modes: there the folder alone protects it. */
const isOwn = (info: Stats): boolean =>
  info.isFile() && info.uid === uid && (process.platform === "win32" || (info.mode & 0o077) === 0)

export class CompileCache {
  private readonly folder: string
  private readonly maxBytes: number
  private readonly versions: string
  /** Bytes since all that is there was looked through. */
  private written = Number.POSITIVE_INFINITY

  /** Undefined where there can be no such folder. */
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
   * Gives what `transform` makes of a source, or made of it before.
   *
   * @param kind What it depends on besides, such as the language.
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
      // A system that went down may have left a part of it.
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
      // Of two processes that write the same, the last one wins.
      renameSync(staged, path)
    } catch {
      // Such as a full disk: then it is compiled again.
      rmSync(staged, { force: true })
    }
    this.written += body.length
    if (this.written < this.maxBytes / 10) return
    this.written = 0
    void this.prune().catch(() => {})
  }

  /** Removes of too much the oldest. */
  private async prune(): Promise<void> {
    let bytes = 0
    for (const { path, size } of await newestFirst(this.folder)) {
      bytes += size
      if (bytes > this.maxBytes) await rm(path, { force: true })
    }
  }
}

/** Throws for what somebody else may have written. */
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
