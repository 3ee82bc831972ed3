/** Commands run over a copy-on-write view of a folder: what they change there waits to be applied or dropped. */
import type { ProcessExit, ProcessOptions } from "./processes.ts"

/** A change that a staged command would make. */
export interface StagedChange {
  /** Relative to the folder. */
  readonly path: string
  readonly what: "created" | "changed" | "deleted" | "mode"
  readonly kind: "file" | "folder" | "link"
  /** Its permissions before and after, where those change. */
  readonly modes?: readonly [before: number, after: number]
}

/** What a file held, or the target of a link; undefined for what was not there, and for folders. */
export interface StagedContent {
  readonly before: Uint8Array | undefined
  readonly after: Uint8Array | undefined
}

/** How a staged command ended, and what it would change. */
export interface StagedRun extends ProcessExit {
  /** Names the change set, also to a later process. */
  readonly id: string
  readonly changes: ReadonlyArray<StagedChange>
  /** What the change set does not hold, in sentences. */
  readonly notes: ReadonlyArray<string>
  /** Undefined where it is larger than `maxBytes`. */
  content(change: StagedChange, maxBytes: number): Promise<StagedContent | undefined>
}

/** Runs commands over a view of a folder, and makes their changes later, or never. */
export interface Staging {
  /**
   * Runs a command as `Processes.run` does, over a view of `folder` in which alone it writes. Rejects with a sentence,
   * and runs nothing, where there can be no such view.
   */
  run(options: ProcessOptions & { readonly folder: string }): Promise<StagedRun>
  /**
   * Makes the changes, each in one step. Rejects with a sentence, and changes nothing, where something is no longer what
   * the command saw. What a crash interrupts, the next process finishes. Gives how many changes were made.
   *
   * @param tell Told what else was done, or is to be known, a sentence each.
   */
  apply(id: string, tell?: (note: string) => void): Promise<number>
  /** The paths that it changes, absolute. Where it is missing, what was applied cannot be taken back. */
  paths?(id: string): Promise<ReadonlyArray<string>>
  /** Forgets the change set. Does nothing where there is none. */
  discard(id: string): Promise<void>
}
