/** The overlay of a finished command: its two layers, and what the command saw of them. */
import type { BigIntStats } from "node:fs"
import { join } from "node:path"
import { kindOf, statOf } from "../../io/staging/fingerprint.ts"
import type { Listing } from "./listing.ts"

/** The parts of an overlay. */
export interface OverlayOptions {
  readonly lower: string
  readonly upper: string
  readonly seen: Listing
  /** Whether the overlay keeps the inode of a file with several names, so that a recreated file can be detected. */
  readonly keepsLinks: boolean
  /** When the command began, in milliseconds since the epoch. */
  readonly startedAt: number
}

/** Access to an overlay by paths relative to its folder. */
export class Overlay {
  readonly keepsLinks: boolean
  private readonly options: OverlayOptions

  constructor(options: OverlayOptions) {
    this.options = options
    this.keepsLinks = options.keepsLinks
  }

  at(path: string): { readonly below: string; readonly above: string } {
    return { below: join(this.options.lower, path), above: join(this.options.upper, path) }
  }

  /** Where the overlay itself stores files with several names. */
  get index(): string {
    return join(this.options.upper, "..", "work", "index")
  }

  /** Whether somebody else has changed the file since the command began. */
  isStale(info: BigIntStats): boolean {
    return Number(info.ctimeNs / 1000n) / 1000 > this.options.startedAt
  }

  /** The names of a folder, as the command saw them. */
  namesSeen(path: string): ReadonlyMap<string, string> {
    return this.options.seen.get(path === "." ? "." : `./${path}`) ?? new Map<string, string>()
  }

  /** The inode of a path, as the command saw it. */
  inodeOf(path: string): string | undefined {
    const slash = path.lastIndexOf("/")
    const folder = slash < 0 ? "." : path.slice(0, slash)
    return this.namesSeen(folder).get(path.slice(slash + 1))
  }

  /** Whether a file with other names was replaced by a new file. */
  isMadeAnew(path: string, below: BigIntStats): boolean {
    if (!this.keepsLinks || below.nlink < 2n) return false
    return this.inodeOf(path) !== String(below.ino)
  }

  /** The untouched names of a file, as the command saw it, with their stats in the lower folder. */
  async *untouchedNames(path: string): AsyncGenerator<{ name: string; lower: BigIntStats }> {
    if (!this.keepsLinks) return
    const inode = this.inodeOf(path)
    for (const [folder, names] of this.options.seen) {
      for (const [name, other] of names) {
        if (other !== inode) continue
        const found = folder === "." ? name : `${folder.slice(2)}/${name}`
        const { above, below } = this.at(found)
        const lower = await statOf(below)
        if (lower !== undefined && kindOf(lower) === "file" && (await statOf(above)) === undefined)
          yield { name: found, lower }
      }
    }
  }
}
