/** Calls that ended as `poisoned`: processes had ended while they ran. A person may retry such a call. */
import type { ToolCall, ToolCallInput } from "../model/call.ts"
import type { StoredReceipts } from "../undo/receipts.ts"

/** A call that ended as `poisoned` and was not retried. Plain JSON. */
export interface PoisonedCall {
  /** The cursor of this call: `poisoned({ after })` continues after it. */
  readonly seq: number
  readonly agentId: string
  readonly callId: string
  readonly name: string
  readonly params: unknown
  /** The text for the model. */
  readonly content: string
}

/** The row of a call that ended as poisoned. */
export interface PoisonedRow {
  readonly seq: number
  /** JSON of the last event, with the call as `call`. */
  readonly result: string
}

/** The part of a terminal event's JSON that identifies a poisoned call. */
export const poisonedMark = '"reason":"poisoned"'

/** The suffix that turns the id of a poisoned call into the id of its retry: a second retry of the same call has the same id. */
export const retryEnd = "-retry"

/** The data that a stored terminal event may have besides the event: what the next process needs of the call. */
export interface EndNotes {
  /** For a nested call: identifies the call that its handler made. */
  readonly madeWith?: string
  /** For a poisoned call: the call, so that it can run again. */
  readonly call?: ToolCall
  /** What its handlers have done and taken back. */
  readonly receipts?: StoredReceipts
}

/** In the JSON of a last event, what tells a call with receipts. The databases have an index by these very characters. */
export const receiptsMark = '"receipts":{'

/** The receipts in the JSON of a last event; none in one that cannot be read. */
export const receiptsIn = (result: string): Array<StoredReceipts> => {
  try {
    const { receipts } = JSON.parse(result) as EndNotes
    return receipts === undefined ? [] : [receipts]
  } catch {
    return []
  }
}

/** How many calls with receipts are read: the latest. */
export const maxReceiptCalls = 1000

/** The poisoned call of a row; undefined for a row that another version wrote. */
export const poisonedCall = ({ seq, result }: PoisonedRow): PoisonedCall | undefined => {
  const { call, content } = JSON.parse(result) as EndNotes & { readonly content: string }
  if (call === undefined) return undefined
  const { agentId, callId, name, params } = call
  return { seq, agentId, callId, name, params, content }
}

/** The call that retries a poisoned one. */
export const retryOf = (call: ToolCall): ToolCallInput => ({ ...call, callId: `${call.callId}${retryEnd}` })
