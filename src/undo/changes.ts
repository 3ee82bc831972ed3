/** What calls have changed, so that it can be taken back: as hosts read it, as handlers record it, and what takes it back. */
import type { UndoBounds } from "./undo-options.ts"

/** A change of one path. Plain JSON. */
export interface PathChange {
  /** Absolute, links resolved. */
  readonly path: string
  readonly what: "created" | "changed" | "deleted" | "mode"
  readonly kind: "file" | "folder" | "link"
}

/** What one call has changed. Plain JSON. */
export interface CallChanges {
  readonly agentId: string
  /** The call that was asked for; for a preview, the call that made the preview. */
  readonly callId: string
  /** The name of its tool. */
  readonly name: string
  /** Counts the turns of the agent that changed something, from 1. Calls that were enqueued together are a turn. */
  readonly turn: number
  /** When the first change was made, in epoch milliseconds. */
  readonly at: number
  readonly paths: ReadonlyArray<PathChange>
  /** The names of handlers that take back themselves what they have done, once for each receipt that they gave. */
  readonly handlers?: ReadonlyArray<string>
  /** What may have changed more than is known, such as ``the command `npm install` ``. */
  readonly unknown?: ReadonlyArray<string>
  /** For a call of `undo`: the calls that it took back. */
  readonly undoes?: ReadonlyArray<string>
  /** The call of `undo` that took the changes back. */
  readonly undoneBy?: string
}

/** Which changes to list. Default: all that are kept. */
export interface ChangesFilter {
  readonly agentId?: string | undefined
  /** Epoch milliseconds, or a Date. */
  readonly since?: number | Date | undefined
}

/**
 * Which calls of an agent to take back: one; those of a turn; those since a time, in epoch milliseconds or a Date; or the last so many
 * that changed something. Only `callId` names a call of `undo`, or one that was taken back already.
 */
export type UndoRequest = (
  | { readonly callId: string }
  | { readonly turn: number }
  | { readonly since: number | Date }
  | { readonly last: number }
) & {
  /**
   * Whether a text file that somebody else has changed since gets both: their change stays, and the call's is taken out of it, where the two
   * are apart. The preview shows what comes of it. Default false: such a file is left alone.
   */
  readonly merge?: boolean
}

/** A change with what its keeper needs to take it back. */
export interface KeptChange extends PathChange {
  /** The keeper's. */
  readonly kept: unknown
}

/** What cannot be taken back, and why. Plain JSON. */
export interface LeftChange {
  readonly path: string
  readonly why: string
}

/** What would take changes back. Nothing is changed yet. */
export interface UndoPlan {
  /** Names it for `apply` and `discard`; undefined if nothing can be taken back. */
  readonly id: string | undefined
  readonly changes: ReadonlyArray<PathChange>
  readonly left: ReadonlyArray<LeftChange>
  /** The changes for the model: a list, and a diff. */
  readonly preview: string
}

/** How changes are to be taken back. */
export interface PlanOptions {
  /** What shown paths are relative to. */
  readonly cwd: string
  /** Whether to take them out of what somebody else has changed since. */
  readonly merge: boolean
  readonly bounds: UndoBounds
}

/** Takes changes of one kind back, such as those of the files of a machine. */
export interface ChangeKeeper {
  /** Plans to take these changes back, newest first. */
  plan(changes: ReadonlyArray<KeptChange>, options: PlanOptions): Promise<UndoPlan>
  /** Makes the changes of a plan, all or none, and records them. Throws a ToolError where something is not as it was planned for. */
  apply(plan: UndoPlan, recorder: ChangeRecorder): Promise<void>
  /** Forgets a plan. Does nothing for one that was applied. */
  discard(plan: UndoPlan): Promise<void>
}

/** Which call changes something. Plain JSON. */
export interface ChangingCall {
  /** Of the executor. */
  readonly cwd: string
  readonly agentId: string
  /** The call that was asked for; for a preview, the call that made the preview. */
  readonly callId: string
  /** The call whose handlers make the changes. */
  readonly appliedBy: string
  readonly name: string
  readonly turn: number
  /** For a call of `undo`: the calls that it takes back. */
  readonly undoes?: ReadonlyArray<string>
}

/** What a call of an earlier executor has changed, for `restoreChanges`. */
export interface EarlierChanges extends Omit<ChangingCall, "cwd"> {
  /** Epoch milliseconds. */
  readonly at: number
  readonly keeper: ChangeKeeper
  readonly changes: ReadonlyArray<KeptChange>
  readonly unknown: ReadonlyArray<string>
}

/** Records what a call changes. */
export interface ChangeRecorder {
  readonly bounds: UndoBounds
  readonly call: ChangingCall
  /** Records changes that were made. */
  add(keeper: ChangeKeeper, changes: ReadonlyArray<KeptChange>): void
  /** Records that the call may have changed what is not known, such as ``the command `npm install` ``. */
  unknown(what: string): void
}
