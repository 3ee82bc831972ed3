/** Commands run over a copy-on-write view of a folder: their changes are staged, to be applied or discarded. */
import type { ProcessExit, ProcessOptions } from "./processes.ts"

/** A change that a staged command would make. */
export interface StagedChange {
  /** Relative to the folder. */
  readonly path: string
  readonly what: "created" | "changed" | "deleted" | "mode"
  readonly kind: "file" | "folder" | "link"
  /** The permissions before and after, if they change. */
  readonly modes?: readonly [before: number, after: number]
}

/** A file's content, or a link's target; undefined for a missing path, and for folders. */
export interface StagedContent {
  readonly before: Uint8Array | undefined
  readonly after: Uint8Array | undefined
}

/** How a staged command ended, and what it would change. */
export interface StagedRun extends ProcessExit {
  /** Names the change set, also to a later process. */
  readonly id: string
  readonly changes: ReadonlyArray<StagedChange>
  /** What the change set does not contain, in sentences. */
  readonly notes: ReadonlyArray<string>
  /** Resolves with undefined if it is larger than `maxBytes`. */
  content(change: StagedChange, maxBytes: number): Promise<StagedContent | undefined>
}

/** Runs commands over a view of a folder, and applies or discards their changes later. */
export interface Staging {
  /**
   * Runs a command as `Processes.run` does, over a view of `folder`, the only place it can write to. Rejects, and runs
   * nothing, if there can be no such view; the message is a sentence.
   */
  run(options: ProcessOptions & { readonly folder: string }): Promise<StagedRun>
  /**
   * Makes the changes, each in one step. Rejects, and changes nothing, if a path is no longer what the command saw; the
   * message is a sentence. After a crash, the next process finishes. Resolves with the number of changes made.
   *
   * @param tell Called with further information, one sentence each.
   */
  apply(id: string, tell?: (note: string) => void): Promise<number>
  /** The absolute paths that the change set changes. If the method is missing, applied changes cannot be undone. */
  paths?(id: string): Promise<ReadonlyArray<string>>
  /** Deletes the change set. Does nothing if there is none. */
  discard(id: string): Promise<void>
}
