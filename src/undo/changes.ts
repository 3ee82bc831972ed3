/** The changes of calls, which can be undone: as hosts read them, as handlers record them, and the interface that undoes them. */
import type { UndoBounds } from "./undo-options.ts"

/** A change of one path. Plain JSON. */
export interface PathChange {
  /** Absolute, links resolved. */
  readonly path: string
  readonly what: "created" | "changed" | "deleted" | "mode"
  readonly kind: "file" | "folder" | "link"
}

/** The changes of one call. Plain JSON. */
export interface CallChanges {
  readonly agentId: string
  /** The requested call; for a preview, the call that made the preview. */
  readonly callId: string
  /** The name of its tool. */
  readonly name: string
  /** The number of the turn, from 1, among the agent's turns that changed something. Calls enqueued together are one turn. */
  readonly turn: number
  /** When the first change was made, in epoch milliseconds. */
  readonly at: number
  readonly paths: ReadonlyArray<PathChange>
  /** The names of handlers that undo their own effects, once for each receipt that they gave. */
  readonly handlers?: ReadonlyArray<string>
  /** What may have made unknown changes, such as ``the command `npm install` ``. */
  readonly unknown?: ReadonlyArray<string>
  /** For a call of `undo`: the calls that it undid. */
  readonly undoes?: ReadonlyArray<string>
  /** The call of `undo` that undid the changes. */
  readonly undoneBy?: string
}

/** Which changes to list. Default: all recorded ones. */
export interface ChangesFilter {
  readonly agentId?: string | undefined
  /** Epoch milliseconds, or a Date. */
  readonly since?: number | Date | undefined
}

/**
 * Which calls of an agent to undo: one; those of a turn; those since a time, in epoch milliseconds or a Date; or the last N
 * that changed something. Only `callId` can select a call of `undo`, or one that was already undone.
 */
export type UndoRequest = (
  | { readonly callId: string }
  | { readonly turn: number }
  | { readonly since: number | Date }
  | { readonly last: number }
) & {
  /**
   * Whether to merge a text file that somebody else has changed since: their change is kept, and the call's is reverted, if
   * the two do not touch. The preview shows the result. Default false: such a file is skipped.
   */
  readonly merge?: boolean
}

/** A change with the data that its keeper needs to undo it. */
export interface KeptChange extends PathChange {
  /** The keeper's data. */
  readonly kept: unknown
}

/** A change that cannot be undone, and why. Plain JSON. */
export interface LeftChange {
  readonly path: string
  readonly why: string
}

/** A planned undo. Nothing is changed yet. */
export interface UndoPlan {
  /** The id of the plan; undefined if nothing can be undone. */
  readonly id: string | undefined
  readonly changes: ReadonlyArray<PathChange>
  readonly left: ReadonlyArray<LeftChange>
  /** The changes for the model: a list, and a diff. */
  readonly preview: string
}

/** How to undo changes. */
export interface PlanOptions {
  /** The base of shown paths. */
  readonly cwd: string
  /** Whether to merge with what somebody else has changed since. */
  readonly merge: boolean
  readonly bounds: UndoBounds
}

/** Undoes changes of one kind, such as those to the files of a machine. */
export interface ChangeKeeper {
  /** Plans to undo these changes, newest first. */
  plan(changes: ReadonlyArray<KeptChange>, options: PlanOptions): Promise<UndoPlan>
  /**
   * Makes the changes of a plan, all or none, and records them. Rejects with a ToolError if something has changed since the
   * plan.
   */
  apply(plan: UndoPlan, recorder: ChangeRecorder): Promise<void>
  /** Discards a plan. Does nothing for one that was applied. */
  discard(plan: UndoPlan): Promise<void>
}

/** The call that changes something. Plain JSON. */
export interface ChangingCall {
  /** The executor's working directory. */
  readonly cwd: string
  readonly agentId: string
  /** The requested call; for a preview, the call that made the preview. */
  readonly callId: string
  /** The call whose handlers make the changes. */
  readonly appliedBy: string
  readonly name: string
  readonly turn: number
  /** For a call of `undo`: the calls that it undoes. */
  readonly undoes?: ReadonlyArray<string>
}

/** The changes of a call of an earlier executor, for `restoreChanges`. */
export interface EarlierChanges extends Omit<ChangingCall, "cwd"> {
  /** Epoch milliseconds. */
  readonly at: number
  readonly keeper: ChangeKeeper
  readonly changes: ReadonlyArray<KeptChange>
  readonly unknown: ReadonlyArray<string>
}

/** Records the changes of a call. */
export interface ChangeRecorder {
  readonly bounds: UndoBounds
  readonly call: ChangingCall
  /** Records changes that were made. */
  add(keeper: ChangeKeeper, changes: ReadonlyArray<KeptChange>): void
  /** Records that the call may have made unknown changes, such as by ``the command `npm install` ``. */
  unknown(what: string): void
}
