/** What one call has changed and its handlers have done, as an executor remembers it. */

import type { UndoFunction } from "../model/handler.ts"
import type { CallChanges, ChangeKeeper, ChangingCall, KeptChange } from "./changes.ts"
import type { GivenReceipt, ReceiptId, StoredReceipts } from "./receipts.ts"

/** The changes of one keeper, in order. */
export interface Part {
  readonly keeper: ChangeKeeper
  readonly changes: Array<KeptChange>
}

/** An effect of a handler, which the handler itself can undo. */
export interface Receipt {
  readonly name: string
  /** Returns undefined if the tool of an earlier process no longer has the handler. */
  readonly undo: () => UndoFunction | undefined
  readonly receipt: unknown
  readonly id: ReceiptId
  /** Whether a process ended while it undid this. */
  mayBeTaken?: boolean
}

/** Identifies a call of an executor, independent of its id. */
export interface CallKey {
  /** The same for all changes of the call. */
  readonly key: object
  /** The same for all calls of a turn. */
  readonly turnKey: object
}

/** A call as recorded with its changes. */
export type KeyedCall = CallKey & Omit<ChangingCall, "cwd" | "turn" | "undoes">

/** The changes of one call, and what undoes them. */
export interface CallRecord extends Omit<ChangingCall, "cwd" | "undoes"> {
  readonly at: number
  readonly parts: Array<Part>
  readonly receipts: Array<Receipt>
  readonly unknown: Array<string>
  undoes: ReadonlyArray<string> | undefined
  undoneBy: string | undefined
  /** Whether the receipts include those of a store. */
  isStored?: boolean
  /** The key of the call, if it continues in this executor. */
  readonly key?: object | undefined
}

export const canBeUndone = ({ parts, receipts }: CallRecord): boolean =>
  parts.length > 0 || receipts.length > 0

/** How much a record counts towards the bound. */
export const sizeOf = ({ parts, receipts, unknown }: CallRecord): number =>
  parts.reduce((sum, { changes }) => sum + changes.length, receipts.length + unknown.length)

/** Whether a record of the change log, whose ids are prefixed with their process, is about the call of a stored record. */
export const isOf = (stored: CallRecord, logged: CallRecord): boolean =>
  logged.agentId === stored.agentId &&
  logged.name === stored.name &&
  logged.callId.endsWith(`:${stored.callId}`) &&
  logged.appliedBy.endsWith(`:${stored.appliedBy}`)

/** Converts a store's receipts of a call to a record. */
export const storedRecord = (stored: StoredReceipts, undoOf: UndoOf, key: object | undefined): CallRecord => {
  const { call, sourceCallId, at, turn, given, taken } = stored
  const { agentId, callId: appliedBy, name } = call
  return {
    ...{ agentId, callId: sourceCallId ?? appliedBy, appliedBy, name, turn, at, key },
    receipts: given.map((each, index) => ({
      name: each.handler,
      undo: () => undoOf(stored, each),
      receipt: each.receipt,
      id: { callId: appliedBy, index },
    })),
    parts: [],
    unknown: [],
    undoes: taken.some(({ isSure }) => isSure) ? [] : undefined,
    undoneBy: undefined,
    isStored: true,
  }
}

/** Returns the function that undoes a receipt of an earlier process. */
export type UndoOf = (stored: StoredReceipts, given: GivenReceipt) => UndoFunction | undefined

export const shown = ({
  parts,
  receipts,
  unknown,
  undoes,
  undoneBy,
  ...record
}: CallRecord): CallChanges => ({
  agentId: record.agentId,
  callId: record.callId,
  name: record.name,
  turn: record.turn,
  at: record.at,
  paths: parts.flatMap(({ changes }) => changes.map(({ path, what, kind }) => ({ path, what, kind }))),
  ...(receipts.length > 0 && { handlers: receipts.map(({ name }) => name) }),
  ...(unknown.length > 0 && { unknown: [...unknown] }),
  ...(undoes !== undefined && { undoes }),
  ...(undoneBy !== undefined && { undoneBy }),
})
