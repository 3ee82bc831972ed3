/** The changes of a stage as shown: one per path, with its content before and after. */
import { lstat, readFile, readlink } from "node:fs/promises"
import { join } from "node:path"
import type { StagedChange, StagedContent } from "../staging.ts"
import type { Change } from "./change.ts"

const shown = ({ path, before, after, replaces }: Change): StagedChange | undefined => {
  if (after === undefined)
    return before === undefined ? undefined : { path, what: "deleted", kind: kindOf(before.kind) }
  const { kind } = after
  if (before === undefined) return { path, what: replaces === true ? "changed" : "created", kind }
  const isMode = after.kind !== "link" && before.kind === kind && before.mode !== after.mode
  const modes = isMode ? { modes: [before.mode, after.mode] as const } : {}
  return { path, what: kind === "folder" ? "mode" : "changed", kind, ...modes }
}

const kindOf = (kind: string): StagedChange["kind"] => (kind === "folder" || kind === "link" ? kind : "file")

/** Merges a deletion and a creation of another kind at the same path into one change. */
export const shownOf = (changes: ReadonlyArray<Change>): Array<StagedChange> => {
  const byPath = new Map<string, StagedChange>()
  for (const change of changes) {
    const one = shown(change)
    if (one === undefined) continue
    const known = byPath.get(one.path)
    byPath.set(
      one.path,
      known?.what === "deleted"
        ? { ...one, what: "changed" }
        : known?.what === "changed" && one.what === "deleted"
          ? known
          : one,
    )
  }
  return [...byPath.values()].sort((one, other) => (one.path < other.path ? -1 : 1))
}

const bytesOf = async (path: string, maxBytes: number): Promise<Uint8Array | undefined | "too large"> => {
  const info = await lstat(path).catch(() => undefined)
  if (info?.isSymbolicLink() === true) return Buffer.from(`${await readlink(path)}\n`)
  if (info?.isFile() !== true) return undefined
  return info.size > maxBytes ? "too large" : readFile(path)
}

export const contentOf = async (
  folder: string,
  upper: string,
  change: StagedChange,
  maxBytes: number,
): Promise<StagedContent | undefined> => {
  const [before, after] = await Promise.all([
    change.what === "created" ? undefined : bytesOf(join(folder, change.path), maxBytes),
    change.what === "deleted" ? undefined : bytesOf(join(upper, change.path), maxBytes),
  ])
  if (before === "too large" || after === "too large") return undefined
  return { before, after }
}
