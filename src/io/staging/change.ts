/** What a staged command does to one path of its folder, as it is kept until it is applied. */
import type { Fingerprint } from "./fingerprint.ts"

/** What a path becomes. */
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
  /** Undefined for what was not there, or goes by a change of its own first. */
  readonly before?: Fingerprint
  /** Undefined for what goes. */
  readonly after?: Outcome
  /** What was there went by a change of its own. */
  readonly replaces?: true
  /** It was changed by somebody else while the command ran, or what becomes of its other names is not known. */
  readonly isStale?: true
}

export interface ChangeSet {
  readonly changes: ReadonlyArray<Change>
  /** Paths of pipes, sockets and devices, which are not applied. */
  readonly leftOut: ReadonlyArray<string>
  /** Paths of files that are parted from their names outside of the folder. */
  readonly parted?: ReadonlyArray<string>
}
