/**
 * The answers about folders, in `~/.stepline/trust.json`: readable only by their user, replaced as a whole, by one process
 * at a time. An answer applies to one state of a folder's code and rules.
 */
import { randomUUID } from "node:crypto"
import { lstat, mkdir, open, realpath, rename, rm } from "node:fs/promises"
import { dirname, join, sep } from "node:path"
import { readFault } from "../../io/file-fault.ts"
import { withFileLock } from "../../io/file-lock.ts"
import { messageOf } from "../../text/message-of.ts"
import { readRegular } from "../../text/regular-file.ts"

export type TrustAnswer = "yes" | "no"

interface Entry {
  readonly hash: string
  readonly answer: TrustAnswer
  /** The hashes of the rule file that the answer applies to: two while rules are being added. */
  readonly rules?: ReadonlyArray<string>
}

/** The code and rules in question, as hashes. */
export interface TrustSubject {
  readonly hash: string
  readonly rules?: string | undefined
}

/** What is known about a folder: an answer for its present state, or one for an earlier state. */
export type KnownTrust = TrustAnswer | "changed" | undefined

/** A planned addition to a rule file, as hashes. */
export interface RulesChange {
  readonly before: string
  readonly after: string
  make(): Promise<void>
}

type Folders = Readonly<Record<string, Entry>>

const isEntry = (value: unknown): value is Entry => {
  const { hash, answer, rules = [] } = (value ?? {}) as Record<string, unknown>
  const isAnswer = answer === "yes" || answer === "no"
  return typeof hash === "string" && isAnswer && Array.isArray(rules)
}

const unread = (path: string, fault: string, cause: unknown): Error =>
  new Error(`${path} cannot be read (${fault}). Mend it or remove it.`, { cause })

const isMissing = (cause: unknown): boolean => (cause as NodeJS.ErrnoException).code === "ENOENT"

export class TrustStore {
  readonly path: string

  constructor(home: string) {
    this.path = join(home, ".stepline", "trust.json")
  }

  /** Rejects if the file exists but cannot be trusted; the message is a sentence. */
  async get(folder: string, { hash, rules }: TrustSubject): Promise<KnownTrust> {
    const entry = (await this.read(folder))[folder]
    if (entry === undefined) return undefined
    const isSame = entry.hash === hash && (rules === undefined || entry.rules?.includes(rules) === true)
    return isSame ? entry.answer : "changed"
  }

  /** Rejects, and leaves the file unchanged, if the answer cannot be stored. */
  async set(folder: string, { hash, rules }: TrustSubject, answer: TrustAnswer): Promise<void> {
    const entry = { hash, answer, ...(rules !== undefined && { rules: [rules] }) }
    await this.locked(async () => this.put(folder, entry))
  }

  /**
   * Changes the rules of a trusted folder, and runs the work: after a crash, both states are trusted. One process at a time.
   *
   * @param change Called with the hashes of the trusted rules, or undefined if the folder is not trusted.
   */
  async changeRules(
    folder: string,
    change: (trusted: ReadonlyArray<string> | undefined) => Promise<RulesChange | undefined>,
  ): Promise<void> {
    await this.locked(async () => {
      const entry = (await this.read(folder))[folder]
      const planned = await change(entry?.answer === "yes" ? (entry.rules ?? []) : undefined)
      if (entry === undefined || planned === undefined) return
      await this.put(folder, { ...entry, rules: [planned.before, planned.after] })
      await planned.make()
    })
  }

  private async locked(work: () => Promise<void>): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true, mode: 0o700 })
    await withFileLock(`${this.path}.lock`, work)
  }

  private async put(folder: string, entry: Entry): Promise<void> {
    const folders = { ...(await this.read(folder)), [folder]: entry }
    await this.write(`${JSON.stringify({ version: 1, folders }, undefined, 2)}\n`)
  }

  private async read(about: string): Promise<Folders> {
    let text: string
    try {
      await this.expectOwn(about)
      text = (await readRegular(this.path)).toString()
    } catch (cause) {
      if (isMissing(cause)) return {}
      if ((cause as NodeJS.ErrnoException).code === undefined) throw cause
      throw unread(this.path, readFault(cause), cause)
    }
    try {
      const { folders } = JSON.parse(text) as { readonly folders: Readonly<Record<string, unknown>> }
      if (Object.values(folders).every(isEntry)) return folders as Folders
      throw new Error("an entry of it is no answer")
    } catch (cause) {
      throw unread(this.path, messageOf(cause), cause)
    }
  }

  /** Rejects for a file that the folder itself, or another user, could have written. */
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
