/** A staged change of one path, as stored until it is applied. */
import type { Fingerprint } from "./fingerprint.ts"

/** The new state of a path. */
export type Outcome =
  | {
      readonly kind: "file"
      readonly mode: number
      readonly owner: string
      readonly linkOf?: string
      readonly inPlace?: true
    }
  | { readonly kind: "link"; readonly target: string; readonly owner: string }
  | { readonly kind: "folder"; readonly mode: number; readonly owner: string }

export interface Change {
  /** Relative to the folder; "." for the folder itself. */
  readonly path: string
  /** Undefined if nothing was there, or a separate change removes it first. */
  readonly before?: Fingerprint
  /** Undefined for a deletion. */
  readonly after?: Outcome
  /** Set if a separate change removes the former entry. */
  readonly replaces?: true
  /** Set if somebody else changed the path while the command ran, or the effect on its other names is unknown. */
  readonly isStale?: true
}

export interface ChangeSet {
  readonly changes: ReadonlyArray<Change>
  /** Paths of pipes, sockets and devices, which are not applied. */
  readonly leftOut: ReadonlyArray<string>
  /** Paths of files that will lose their link to names outside the folder. */
  readonly parted?: ReadonlyArray<string>
}
