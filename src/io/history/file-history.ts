/** Records the state of paths before a change, and restores it: all paths or none, also across a crash. */
import { copyFile, link, mkdir, readFile } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { writeFault } from "../file-fault.ts"
import { withFileLock } from "../file-lock.ts"
import { expectAsSeen } from "../staging/apply-changes.ts"
import type { Change } from "../staging/change.ts"
import { type Stat, statNow, statOf } from "../staging/fingerprint.ts"
import { contentOf, shownOf } from "../staging/shown-changes.ts"
import {
  applyStage,
  makeStage,
  privateRoot,
  recoverStages,
  removeStage,
  writeManifest,
} from "../staging/stage-folders.ts"
import type { StagedChange, StagedContent } from "../staging.ts"
import { changeLog } from "./change-log.ts"
import { hashOf, hashOfBytes, type KeepBounds, keptContent } from "./kept-content.ts"
import { listFolder } from "./listing.ts"
import { type HashOf, isSame, look, type PathState, type Seen } from "./path-state.ts"

/** A path to restore. */
export interface PutBack {
  /** The present state. */
  readonly from: Seen
  readonly to: PathState
}

/** A path to look at. `known`: its content, or the hash of its content, which then need not be read. */
export interface Look {
  readonly path: string
  readonly known?: Uint8Array | { readonly hash: string } | "nothing"
  /** Whether the folders above the path are known to be there, or are among the paths. */
  readonly isAlone?: true
}

/** A prepared restoration. */
export interface StagedPutBack {
  readonly id: string
  readonly changes: ReadonlyArray<StagedChange>
  /** The paths that cannot be restored, and why. */
  readonly left: ReadonlyArray<{ readonly path: string; readonly why: string }>
  /** The content that a path gets; undefined if it is larger than `maxBytes`. */
  content(change: StagedChange, maxBytes: number): Promise<StagedContent | undefined>
}

/** Records and restores files. Paths are absolute, with links resolved except in their last part. */
export interface FileHistory {
  /** The states of the paths, after those of the missing folders above them. With `keep`, contents are stored if possible. */
  look(paths: ReadonlyArray<Look>, keep?: KeepBounds): Promise<Array<Seen>>
  /** Stores a content, and returns its hash. */
  keep(content: Uint8Array, bounds: KeepBounds): Promise<string>
  /** A stored content; undefined if it is not stored, or is larger than `maxBytes`. */
  kept(hash: string, maxBytes: number): Promise<Uint8Array | undefined>
  /** The log of this process, for later processes. If it is missing, only this process knows the changes. */
  log?(bounds: KeepBounds): ReturnType<typeof changeLog>
  /** Lists all paths below a folder, to find later what has changed; undefined for a folder with too many. */
  list?(folder: string): ReturnType<typeof listFolder>
  /** Prepares to restore paths. Changes none of them. */
  stage(paths: ReadonlyArray<PutBack>): Promise<StagedPutBack>
  /** Rejects with a StagingError, and changes nothing, if a path has changed since `stage`. */
  apply(id: string): Promise<void>
  /** Deletes a prepared restoration. Does nothing if there is none. */
  discard(id: string): Promise<void>
}

/** The missing folders above a path, from the top. */
const missingAbove = async (path: string, stat: Stat): Promise<Array<string>> => {
  const missing: Array<string> = []
  for (let parent = dirname(path); (await stat(parent)) === undefined; parent = dirname(parent)) {
    missing.unshift(parent)
  }
  return missing
}

type Known = Exclude<Look["known"], "nothing">

const keeping =
  (keep: KeepBounds, known: Known): HashOf =>
  async (path, info) => {
    // A content that cannot be stored is recorded too, so that a preview can say why it is lost.
    const lose = async (lost: string) => ({ ...(await notKeeping(known)(path, info)), lost })
    if (info.size > BigInt(keep.maxBytes)) return lose(`has ${info.size} bytes, more than are kept`)
    try {
      const kept = await keptContent()
      return {
        hash: await (known instanceof Uint8Array ? kept.keepBytes(known, keep) : kept.keep(path, keep)),
      }
    } catch (cause) {
      return lose(`could not be kept: ${writeFault(cause)}`)
    }
  }

const notKeeping =
  (known: Known): HashOf =>
  async (path) => {
    if (known instanceof Uint8Array) return { hash: hashOfBytes(known) }
    return known ?? { hash: await hashOf(path) }
  }

/** More are looked at without blocking this process. */
const fewPaths = 4

const lookAt = async (paths: ReadonlyArray<Look>, keep?: KeepBounds): Promise<Array<Seen>> => {
  const all = new Map<string, Look>()
  const stat = paths.length > fewPaths ? statOf : statNow
  const parents = new Set<string>()
  for (const { path, isAlone } of paths) {
    const parent = dirname(path)
    if (isAlone || parents.has(parent)) continue
    parents.add(parent)
    for (const folder of await missingAbove(path, stat)) all.set(folder, { path: folder, known: "nothing" })
  }
  for (const each of paths) all.set(each.path, each)
  const seen: Array<Seen> = []
  for (const { path, known } of all.values()) {
    if (known === "nothing") seen.push({ path, state: { kind: "nothing" }, print: undefined })
    else seen.push(await look(path, keep === undefined ? notKeeping(known) : keeping(keep, known), stat))
  }
  return seen
}

/** The paths of an undo may be anywhere, so their stage starts at the root. */
const folder = "/"

const nameOf = (path: string): string => relative(folder, path)

/** Whether a folder replaces something else, or the other way round: then the present entry is removed first. */
const isGivingWay = ({ from: { state }, to }: PutBack): boolean =>
  state.kind !== "nothing" && to.kind !== "nothing" && (state.kind === "folder") !== (to.kind === "folder")

/** Deeper paths first. */
const fromBelow = (one: PutBack, other: PutBack): number => other.from.path.length - one.from.path.length

/** Collects the changes of a prepared restoration. */
class PutBacks {
  readonly changes: Array<Change> = []
  readonly left: Array<{ readonly path: string; readonly why: string }> = []
  private readonly gone = new Set<string>()
  private readonly made = new Set<string>()
  private readonly upper: string

  constructor(upper: string) {
    this.upper = upper
  }

  async collect(paths: ReadonlyArray<PutBack>): Promise<void> {
    const changed = paths.filter(({ from, to }) => !isSame(from.state, to)).sort(fromBelow)
    const making = changed.filter(({ to }) => to.kind !== "nothing").reverse()
    // A path that cannot be restored does not replace the present one.
    const able = new Set<PutBack>()
    for (const put of making) if (await this.canCome(put)) able.add(put)
    const filled = new Set(Array.from(able, ({ from }) => dirname(from.path)))
    for (const put of changed) {
      const goes = put.to.kind === "nothing" || (isGivingWay(put) && able.has(put))
      if (goes && !this.goes(put, filled)) able.delete(put)
    }
    for (const put of making) if (able.has(put)) this.comes(put)
  }

  private leave({ from }: PutBack, why: string): false {
    this.left.push({ path: from.path, why })
    return false
  }

  /** Plans the removal of a path. `filled`: the folders in which paths come back. Returns whether the path can be removed. */
  private goes(put: PutBack, filled: ReadonlySet<string>): boolean {
    const { path, print, state } = put.from
    if (state.kind === "folder") {
      const rest = print?.names?.filter((name) => !this.gone.has(join(path, name)))
      if (rest === undefined || rest.length > 0 || filled.has(path))
        return this.leave(put, "it is a folder that holds something else by now")
    }
    this.gone.add(path)
    this.changes.push({ path: nameOf(path), before: print! })
    return true
  }

  private async canCome(put: PutBack): Promise<boolean> {
    const { from, to } = put
    if (to.kind === "other" || from.state.kind === "other")
      return this.leave(put, "it is no file, folder or link")
    const parent = dirname(from.path)
    if (!this.made.has(parent) && (await statOf(parent))?.isDirectory() !== true)
      return this.leave(put, "its folder is not there any more")
    if (to.kind === "file" && !(await this.hasContent(from.path, to.hash)))
      return this.leave(put, `what it held before ${to.lost ?? "is not kept any more"}`)
    if (to.kind === "folder") this.made.add(from.path)
    return true
  }

  private comes(put: PutBack): void {
    const { from, to } = put
    const path = nameOf(from.path)
    const before = isGivingWay(put) ? { replaces: true as const } : from.print && { before: from.print }
    if (to.kind === "folder" || to.kind === "link") this.changes.push({ path, ...before, after: to })
    if (to.kind !== "file") return
    const { state } = from
    // A file with hard links is restored in place, so that its other names get the former content too.
    const inPlace = state.kind === "file" && state.hasOtherNames === true && to.hasOtherNames === true
    const after = {
      kind: to.kind,
      mode: to.mode,
      owner: to.owner,
      ...(inPlace && { inPlace: true as const }),
    }
    this.changes.push({ path, ...before, after })
  }

  /** Links the former content into the stage, so that it survives pruning. Returns whether it was stored. */
  private async hasContent(path: string, hash: string): Promise<boolean> {
    const kept = await keptContent().catch(() => undefined)
    if (kept === undefined || !(await kept.has(hash))) return false
    const target = join(this.upper, nameOf(path))
    await mkdir(dirname(target), { recursive: true, mode: 0o700 })
    await link(kept.pathOf(hash), target).catch(() => copyFile(kept.pathOf(hash), target))
    return true
  }
}

const stage: FileHistory["stage"] = async (paths) => {
  recovered ??= recoverStages().catch(() => {})
  await recovered
  const id = await makeStage(await privateRoot(), folder)
  try {
    const upper = join(id, "upper")
    const putBacks = new PutBacks(upper)
    await putBacks.collect(paths)
    const { changes, left } = putBacks
    await writeManifest(id, { folder, changes })
    return {
      id,
      changes: shownOf(changes),
      left,
      content: (change, maxBytes) => contentOf(folder, upper, change, maxBytes),
    }
  } catch (cause) {
    await removeStage(id)
    throw cause
  }
}

let recovered: Promise<unknown> | undefined

/** The history of this machine's files. */
export const localHistory: FileHistory = {
  look: lookAt,
  keep: async (content, bounds) => (await keptContent()).keepBytes(content, bounds),
  kept: async (hash, maxBytes) => {
    const path = (await keptContent()).pathOf(hash)
    const info = await statOf(path)
    return info === undefined || info.size > BigInt(maxBytes) ? undefined : readFile(path)
  },
  log: changeLog,
  list: listFolder,
  stage,
  apply: (id) =>
    // Two undos at once must not both pass the check.
    withFileLock(join(dirname(id), "undo.lock"), async () => {
      await applyStage(id, (applying) =>
        expectAsSeen(applying, () => "since the preview. Discard it, and undo again"),
      )
    }),
  discard: removeStage,
}
