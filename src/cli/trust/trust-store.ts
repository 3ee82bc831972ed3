/**
 * The answers about folders, in `~/.stepline/trust.json`: readable by their user alone, replaced as a whole, and by one
 * process at a time. An answer holds for one state of a folder's code.
 */
import { randomUUID } from "node:crypto"
import { lstat, mkdir, open, readFile, realpath, rename, rm } from "node:fs/promises"
import { dirname, join, sep } from "node:path"
import { withFileLock } from "../../io/file-lock.ts"
import { messageOf } from "../../pipeline/model/failure.ts"

export type TrustAnswer = "yes" | "no"

interface Entry {
  readonly hash: string
  readonly answer: TrustAnswer
}

/** What is known of a folder: an answer for its code as it is now, or one for what it was before. */
export type KnownTrust = TrustAnswer | "changed" | undefined

type Folders = Readonly<Record<string, Entry>>

const isEntry = (value: unknown): value is Entry => {
  const { hash, answer } = (value ?? {}) as Record<string, unknown>
  return typeof hash === "string" && (answer === "yes" || answer === "no")
}

const isMissing = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === "ENOENT"

export class TrustStore {
  readonly path: string

  constructor(home: string) {
    this.path = join(home, ".stepline", "trust.json")
  }

  /** Rejects with a sentence where the file is there and cannot be believed. */
  async get(folder: string, hash: string): Promise<KnownTrust> {
    const entry = (await this.read(folder))[folder]
    if (entry === undefined) return undefined
    return entry.hash === hash ? entry.answer : "changed"
  }

  /** Rejects where it cannot be kept, with the file as it was. */
  async set(folder: string, hash: string, answer: TrustAnswer): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 })
    await withFileLock(`${this.path}.lock`, async () => {
      const folders = { ...(await this.read(folder)), [folder]: { hash, answer } }
      await this.write(`${JSON.stringify({ version: 1, folders }, undefined, 2)}\n`)
    })
  }

  private async read(about: string): Promise<Folders> {
    let text: string
    try {
      await this.expectOwn(about)
      text = await readFile(this.path, "utf8")
    } catch (cause) {
      if (isMissing(cause)) return {}
      throw cause
    }
    try {
      const { folders } = JSON.parse(text) as { readonly folders: Readonly<Record<string, unknown>> }
      if (Object.values(folders).every(isEntry)) return folders as Folders
      throw new Error("an entry of it is no answer")
    } catch (cause) {
      throw new Error(`${this.path} cannot be read (${messageOf(cause)}). Mend it or remove it.`, { cause })
    }
  }

  /** What the folder itself, or another user, may have written says nothing. */
  private async expectOwn(about: string): Promise<void> {
    const { uid, mode } = await lstat(this.path)
    const real = await realpath(this.path)
    if (real.startsWith(about.endsWith(sep) ? about : about + sep)) {
      throw new Error(`${this.path} lies in the very folder that it would trust, and does not count.`)
    }
    if (uid !== process.getuid?.() || (mode & 0o022) !== 0) {
      throw new Error(`${this.path} may be written by other users, and does not count. Remove it.`)
    }
  }

  private async write(text: string): Promise<void> {
    const staged = `${this.path}.${randomUUID()}.tmp`
    try {
      const file = await open(staged, "wx", 0o600)
      try {
        await file.writeFile(text)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(staged, this.path)
    } finally {
      await rm(staged, { force: true })
    }
  }
}
