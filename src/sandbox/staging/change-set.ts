/**
 * Reads what a command changed from the upper layer of its overlay: files that it wrote, and names of the lower folder that
 * it no longer saw (gaps). Does not touch the lower folder.
 */
import type { BigIntStats } from "node:fs"
import { readdir } from "node:fs/promises"
import { join } from "node:path"
import type { Change, ChangeSet, Outcome } from "../../io/staging/change.ts"
import {
  fingerprintOf,
  hasSameContent,
  kindOf,
  modeOf,
  namesIn,
  ownerOf,
  statOf,
  targetOf,
} from "../../io/staging/fingerprint.ts"
import { Overlay, type OverlayOptions } from "./overlay.ts"

const isWhiteout = (info: BigIntStats): boolean => info.isCharacterDevice() && info.rdev === 0n

/** Whether a name of a file with several names is deleted, or becomes a separate file. */
const isParted = ({ before, after }: Change): boolean =>
  before?.hasOtherNames === true && !(after?.kind === "file" && after.inPlace === true)

/** The name that the other names of a file are linked to. */
interface Anchor {
  readonly path: string
  readonly isUnchanged: boolean
  /** Whether it is still the file with other names in the lower folder, which change with it. */
  readonly hasOtherNames: boolean
}

/** Whether `one` is the better anchor. */
const isBetter = (one: Anchor, other: Anchor): boolean =>
  one.isUnchanged === other.isUnchanged ? one.hasOtherNames && !other.hasOtherNames : one.isUnchanged

class ChangeReader {
  readonly changes: Array<Change> = []
  readonly leftOut: Array<string> = []
  /** The anchors of files with several names, by inode of the upper layer. */
  private readonly linked = new Map<bigint, Anchor>()
  private readonly waiting: Array<{
    readonly path: string
    readonly info: BigIntStats
    readonly below: BigIntStats | undefined
  }> = []
  private readonly overlay: Overlay

  constructor(overlay: Overlay) {
    this.overlay = overlay
  }

  /** Whether a name that the command did not touch would have to change, but cannot. */
  private isLost = false
  /** Visited inodes of the upper layer. */
  private readonly met = new Set<bigint>()

  async read(): Promise<ChangeSet> {
    const root = this.overlay.at(".")
    const [above, below] = await Promise.all([statOf(root.above), statOf(root.below)])
    if (above !== undefined && below !== undefined) this.folder(".", above, below)
    await this.inFolder(".", true)
    await this.resolveLinked()
    if (this.isLost || (await this.hasLostContent())) this.markLost()
    return { changes: this.changes, leftOut: this.leftOut }
  }

  private add(
    path: string,
    below: BigIntStats | undefined,
    change: Omit<Change, "path" | "before">,
    names?: ReadonlyArray<string>,
  ): void {
    const before = below && { before: fingerprintOf(below, names) }
    const isStale = below !== undefined && kindOf(below) !== "folder" && this.overlay.isStale(below)
    this.changes.push({ path, ...before, ...change, ...(isStale && { isStale: true }) })
  }

  /** @param isMerged Whether the lower folder's entries show through. */
  private async inFolder(path: string, isMerged: boolean): Promise<void> {
    const { below, above } = this.overlay.at(path)
    const entries = await namesIn(above)
    const whiteouts = new Set<string>()
    for (const name of entries) {
      if (await this.entry(path === "." ? name : `${path}/${name}`, isMerged)) whiteouts.add(name)
    }
    if (isMerged) await this.gaps(path, await namesIn(below), whiteouts)
  }

  private async gaps(
    path: string,
    names: ReadonlyArray<string>,
    whiteouts: ReadonlySet<string>,
  ): Promise<void> {
    const seen = this.overlay.namesSeen(path)
    const missing: Array<{ name: string; info: BigIntStats }> = []
    for (const name of names) {
      if (seen.has(name)) continue
      const info = await statOf(join(this.overlay.at(path).below, name))
      if (info !== undefined) missing.push({ name, info })
    }
    // A recreated folder hides its former entries, and so also those that somebody else has added since.
    const isOpaque = missing.some(({ name, info }) => !whiteouts.has(name) && !this.overlay.isStale(info))
    for (const { name, info } of missing) {
      if (whiteouts.has(name) || isOpaque) await this.goes(path === "." ? name : `${path}/${name}`, info)
    }
  }

  /** Adds the deletion of a path, after the deletions below it. */
  private async goes(path: string, info: BigIntStats): Promise<void> {
    if (kindOf(info) !== "folder") return this.add(path, info, {})
    const folder = this.overlay.at(path).below
    const names = await namesIn(folder)
    for (const name of names) {
      const below = await statOf(join(folder, name))
      if (below !== undefined) await this.goes(`${path}/${name}`, below)
    }
    this.add(path, info, {}, names)
  }

  /**
   * Whether a file with several names was changed through a name that was then deleted: only the overlay still has the
   * content that the other names would get.
   */
  private async hasLostContent(): Promise<boolean> {
    const { index } = this.overlay
    for (const name of await readdir(index).catch(() => [])) {
      const info = await statOf(join(index, name))
      if (info === undefined || kindOf(info) !== "file" || this.met.has(info.ino)) continue
      if (!(await this.isAsBefore(join(index, name), info))) return true
    }
    return false
  }

  /** Whether the content is the same as before under a deleted name. */
  private async isAsBefore(path: string, info: BigIntStats): Promise<boolean> {
    for (const change of this.changes) {
      if (!isParted(change)) continue
      const lower = this.overlay.at(change.path).below
      const below = await statOf(lower)
      if (below?.size !== info.size || modeOf(below) !== modeOf(info)) continue
      if (await hasSameContent(path, lower, info.size)) return true
    }
    return false
  }

  private markLost(): void {
    const parted = this.changes.filter(isParted)
    for (const change of parted.length > 0 ? parted : this.changes) {
      this.changes[this.changes.indexOf(change)] = { ...change, isStale: true }
    }
  }

  /** Returns whether the entry is a whiteout. */
  private async entry(path: string, isMerged: boolean): Promise<boolean> {
    // A name that is not valid UTF-8 could not be written again.
    if (path.includes("\ufffd")) {
      this.leftOut.push(path)
      return false
    }
    const { above, below: lower } = this.overlay.at(path)
    const info = await statOf(above)
    if (info === undefined) return false
    if (isWhiteout(info)) return true
    this.met.add(info.ino)
    const below = isMerged ? await statOf(lower) : undefined
    switch (kindOf(info)) {
      case "folder":
        if (this.folder(path, info, below) === "new" && below !== undefined) await this.goes(path, below)
        await this.inFolder(path, below !== undefined && kindOf(below) === "folder")
        return false
      case "link":
        await this.link(path, info, below)
        return false
      case "file":
        await this.file(path, info, below)
        return false
      default:
        this.leftOut.push(path)
        return false
    }
  }

  private folder(path: string, info: BigIntStats, below: BigIntStats | undefined): "new" | "known" {
    const after: Outcome = { kind: "folder", mode: modeOf(info), owner: ownerOf(info) }
    if (below === undefined || kindOf(below) !== "folder") {
      this.changes.push({ path, after, ...(below !== undefined && { replaces: true }) })
      return "new"
    }
    if (modeOf(below) !== after.mode || ownerOf(below) !== after.owner) this.add(path, below, { after })
    return "known"
  }

  private async clear(path: string, below: BigIntStats | undefined): Promise<BigIntStats | undefined> {
    if (below === undefined || kindOf(below) !== "folder") return below
    await this.goes(path, below)
    return undefined
  }

  private async link(path: string, info: BigIntStats, below: BigIntStats | undefined): Promise<void> {
    const { above, below: lower } = this.overlay.at(path)
    const target = await targetOf(above)
    const isSame = below !== undefined && kindOf(below) === "link" && (await targetOf(lower)) === target
    if (isSame && ownerOf(below) === ownerOf(info)) return
    const rest = await this.clear(path, below)
    const after: Outcome = { kind: "link", target, owner: ownerOf(info) }
    this.add(path, rest, { after, ...(rest !== below && { replaces: true }) })
  }

  private async file(path: string, info: BigIntStats, below: BigIntStats | undefined): Promise<void> {
    const { above, below: lower } = this.overlay.at(path)
    const isSame =
      below !== undefined &&
      kindOf(below) === "file" &&
      below.size === info.size &&
      modeOf(below) === modeOf(info) &&
      ownerOf(below) === ownerOf(info) &&
      !this.overlay.isMadeAnew(path, below) &&
      (await hasSameContent(above, lower, info.size))
    if (info.nlink > 1n) {
      const known = this.linked.get(info.ino)
      const hasOtherNames =
        below !== undefined &&
        kindOf(below) === "file" &&
        below.nlink > 1n &&
        !this.overlay.isMadeAnew(path, below)
      const anchor: Anchor = { path, isUnchanged: isSame, hasOtherNames }
      if (known === undefined || isBetter(anchor, known)) this.linked.set(info.ino, anchor)
      if (!isSame || known !== undefined) this.waiting.push({ path, info, below })
      return
    }
    if (!isSame) await this.writes(path, info, below)
  }

  private async writes(
    path: string,
    info: BigIntStats,
    below: BigIntStats | undefined,
    linkOf?: string,
  ): Promise<void> {
    const rest = await this.clear(path, below)
    const isLinked = rest !== undefined && kindOf(rest) === "file" && rest.nlink > 1n
    const inPlace =
      linkOf === undefined && isLinked && this.overlay.keepsLinks && !this.overlay.isMadeAnew(path, rest)
    const after: Outcome = {
      kind: "file",
      mode: modeOf(info),
      owner: ownerOf(info),
      ...(linkOf !== undefined && { linkOf }),
      ...(inPlace && { inPlace: true }),
    }
    this.add(path, rest, { after, ...(rest !== below && { replaces: true }) })
  }

  /** Another, untouched name of a file that the command has linked. */
  private async untouchedName(path: string, info: BigIntStats): Promise<string | undefined> {
    for await (const { name, lower } of this.overlay.untouchedNames(path)) {
      const isSame =
        String(lower.ino) === this.overlay.inodeOf(path) &&
        lower.size === info.size &&
        modeOf(lower) === modeOf(info) &&
        (await hasSameContent(this.overlay.at(path).above, this.overlay.at(name).below, info.size))
      if (isSame) return name
      // The file was changed through a name that was then deleted, and this one would have to change with it.
      this.isLost = true
    }
    return undefined
  }

  /** Links the names of a file to the one that already exists, or else to the first. */
  private async resolveLinked(): Promise<void> {
    for (const { path, info, below } of this.waiting) {
      const anchor = this.linked.get(info.ino)!.path
      if (anchor === path) {
        const { hasOtherNames } = this.linked.get(info.ino)!
        await this.writes(path, info, below, hasOtherNames ? undefined : await this.untouchedName(path, info))
        continue
      }
      const [one, other] = [below, await statOf(this.overlay.at(anchor).below)]
      const isLinked =
        one !== undefined && other !== undefined && one.ino === other.ino && one.dev === other.dev
      if (isLinked && this.linked.get(info.ino)!.isUnchanged) continue
      await this.writes(path, info, below, anchor)
    }
  }
}

/** Reads the changes; deletions are ordered from the leaves up. */
export const readChanges = (options: OverlayOptions): Promise<ChangeSet> =>
  new ChangeReader(new Overlay(options)).read()
