/** Remembers what was at a path before it is changed, and puts it back: all paths or none, whatever a crash interrupts. */
import { copyFile, link, mkdir } from "node:fs/promises"
import { dirname, join, relative } from "node:path"
import { expectAsSeen } from "../staging/apply-changes.ts"
import type { Change } from "../staging/change.ts"
import { statOf } from "../staging/fingerprint.ts"
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
import { hashOf, type KeepBounds, keptContent } from "./kept-content.ts"
import { isSame, look, type PathState, type Seen } from "./path-state.ts"

/** A path that is to become what it was. */
export interface PutBack {
  /** What is there now. */
  readonly from: Seen
  readonly to: PathState
}

/** What waits to be put back. */
export interface StagedPutBack {
  readonly id: string
  readonly changes: ReadonlyArray<StagedChange>
  /** What cannot be, and why. */
  readonly left: ReadonlyArray<{ readonly path: string; readonly why: string }>
  /** Undefined where it is larger than `maxBytes`. */
  content(change: StagedChange, maxBytes: number): Promise<StagedContent | undefined>
}

/** Remembers and puts back. Paths are absolute, and real but for their last part. */
export interface FileHistory {
  /** What is at the paths, and the folders above them that are missing, first. With `keep`, contents are kept. */
  look(paths: ReadonlyArray<string>, keep?: KeepBounds): Promise<Array<Seen>>
  /** Prepares to put paths back. Changes none of them. */
  stage(paths: ReadonlyArray<PutBack>): Promise<StagedPutBack>
  /** Rejects with a StagingError, and changes nothing, where something is not what it was when it was staged. */
  apply(id: string): Promise<void>
  /** Forgets it. Does nothing where there is none. */
  discard(id: string): Promise<void>
}

/** Folders above a path that are not there, from the top. */
const missingAbove = async (path: string): Promise<Array<string>> => {
  const missing: Array<string> = []
  for (let parent = dirname(path); (await statOf(parent)) === undefined; parent = dirname(parent)) {
    missing.unshift(parent)
  }
  return missing
}

const lookAt = async (paths: ReadonlyArray<string>, keep?: KeepBounds): Promise<Array<Seen>> => {
  const all = new Set<string>()
  for (const path of paths) {
    for (const folder of await missingAbove(path)) all.add(folder)
    all.add(path)
  }
  const kept = keep && (await keptContent().catch(() => undefined))
  const seen: Array<Seen> = []
  for (const path of all) {
    seen.push(
      await look(path, async (file, info) =>
        // What cannot be kept is recorded nevertheless: it is said when it is asked for.
        kept === undefined || info.size > BigInt(keep!.maxBytes)
          ? hashOf(file)
          : kept.keep(file, keep!).catch(() => hashOf(file)),
      ),
    )
  }
  return seen
}

const dropped = "what it held before is not kept any more, or was too much to be kept"

const folder = "/"

const nameOf = (path: string): string => relative(folder, path)

/** Those below first. */
const fromBelow = (one: PutBack, other: PutBack): number => other.from.path.length - one.from.path.length

/** Collects the changes of a stage. */
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
    const changed = paths.filter(({ from, to }) => !isSame(from.state, to))
    for (const put of [...changed].sort(fromBelow)) {
      if (put.from.state.kind !== "nothing" && put.to.kind === "nothing") this.goes(put)
    }
    for (const put of [...changed].sort(fromBelow).reverse()) {
      if (put.to.kind !== "nothing") await this.comes(put)
    }
  }

  private leave({ from }: PutBack, why: string): void {
    this.left.push({ path: from.path, why })
  }

  private goes(put: PutBack): void {
    const { path, print } = put.from
    const { kind } = put.from.state
    if (kind === "folder") {
      const rest = print?.names?.filter((name) => !this.gone.has(join(path, name)))
      if (rest === undefined || rest.length > 0)
        return this.leave(put, "it is a folder that holds something else by now")
    }
    this.gone.add(path)
    this.changes.push({ path: nameOf(path), before: print! })
  }

  private async comes(put: PutBack): Promise<void> {
    const { from, to } = put
    if (to.kind === "other" || to.kind === "nothing" || from.state.kind === "other")
      return this.leave(put, "it is no file, folder or link")
    const parent = dirname(from.path)
    if (!this.made.has(parent) && (await statOf(parent))?.isDirectory() !== true)
      return this.leave(put, "its folder is not there any more")
    if (to.kind === "file" && !(await this.hasContent(from.path, to.hash))) return this.leave(put, dropped)
    const isFolder = from.state.kind === "folder"
    const becomesFolder = to.kind === "folder"
    // A folder gives way to nothing but a folder, and takes nobody's place.
    if (isFolder !== becomesFolder && from.state.kind !== "nothing")
      return this.leave(put, isFolder ? "it is a folder by now" : "it is no folder by now")
    if (becomesFolder) this.made.add(from.path)
    const after = to.kind === "file" ? { kind: to.kind, mode: to.mode, owner: to.owner } : to
    this.changes.push({ path: nameOf(from.path), ...(from.print && { before: from.print }), after })
  }

  /** Puts the former content into the stage: from then on it is there, whatever becomes of what is kept. */
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

/** Of this machine's files. */
export const localHistory: FileHistory = {
  look: lookAt,
  stage,
  apply: async (id) => {
    await applyStage(id, (applying) =>
      expectAsSeen(applying, () => "since the preview. Discard it, and undo again"),
    )
  },
  discard: removeStage,
}
