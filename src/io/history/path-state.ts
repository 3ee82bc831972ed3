/** The recorded state of a path: enough to compare it and, with its stored content, to restore it. Plain JSON. */
import type { BigIntStats } from "node:fs"
import { readlink } from "node:fs/promises"
import {
  type Fingerprint,
  fingerprintOf,
  kindOf,
  modeOf,
  namesIn,
  ownerOf,
  type Stat,
  statOf,
} from "../staging/fingerprint.ts"

/** The present or former state of a path. */
export type PathState =
  | { readonly kind: "nothing" }
  | {
      readonly kind: "file"
      readonly mode: number
      readonly owner: string
      readonly hash: string
      /** Whether it has other names (hard links). */
      readonly hasOtherNames?: true
      /** Why its content is not stored, as the end of a sentence. */
      readonly lost?: string
    }
  | { readonly kind: "link"; readonly target: string; readonly owner: string }
  | { readonly kind: "folder"; readonly mode: number; readonly owner: string }
  | { readonly kind: "other" }

/** The present state of a path. */
export interface Seen {
  readonly path: string
  readonly state: PathState
  /** Differs once anything about the path has changed. Undefined if nothing is there. */
  readonly print: Fingerprint | undefined
}

/** Returns the hash of a file's content and, if the content should be stored but is not, why. */
export type HashOf = (
  path: string,
  info: BigIntStats,
) => Promise<{ readonly hash: string; readonly lost?: string }>

/** `info`: of the path itself, not of a link's target. */
export const stateOf = async (path: string, info: BigIntStats, hashOf: HashOf): Promise<PathState> => {
  const owner = ownerOf(info)
  switch (kindOf(info)) {
    case "file":
      return {
        kind: "file",
        mode: modeOf(info),
        owner,
        ...(await hashOf(path, info)),
        ...(info.nlink > 1n && { hasOtherNames: true as const }),
      }
    case "link":
      return { kind: "link", target: await readlink(path), owner }
    case "folder":
      return { kind: "folder", mode: modeOf(info), owner }
    default:
      return { kind: "other" }
  }
}

/** Reads the state of a path. `path`: absolute, with links resolved except in its last part. */
export const look = async (path: string, hashOf: HashOf, stat: Stat = statOf): Promise<Seen> => {
  const info = await stat(path)
  if (info === undefined) return { path, state: { kind: "nothing" }, print: undefined }
  const names = info.isDirectory() ? await namesIn(path).catch(() => undefined) : undefined
  // Taken before the content is read, so that a change meanwhile is detected.
  const print = fingerprintOf(info, names)
  return { path, state: await stateOf(path, info, hashOf), print }
}

/** Whether two states are equal. Owners do not count. */
export const isSame = (one: PathState, other: PathState): boolean => {
  switch (one.kind) {
    case "nothing":
      return other.kind === "nothing"
    case "file":
      return other.kind === "file" && one.hash === other.hash && one.mode === other.mode
    case "link":
      return other.kind === "link" && one.target === other.target
    case "folder":
      return other.kind === "folder" && one.mode === other.mode
    default:
      return false
  }
}
