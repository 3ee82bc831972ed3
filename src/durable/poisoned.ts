/** Calls that ended as `poisoned`: processes had ended while they ran. A person may have such a call run once more. */
import type { ToolCall, ToolCallInput } from "../pipeline/model/call.ts"

/** A call that ended as `poisoned`, and that was not retried. Plain JSON. */
export interface PoisonedCall {
  /** The cursor of this call: `poisoned({ after })` continues behind it. */
  readonly seq: number
  readonly agentId: string
  readonly callId: string
  readonly name: string
  readonly params: unknown
  /** What the model was told. */
  readonly content: string
}

/** The row of a call that ended as poisoned. */
export interface PoisonedRow {
  readonly seq: number
  /** JSON of the last event, with the call as `call`. */
  readonly result: string
}

/** In the JSON of a last event, what tells a poisoned call. */
export const poisonedMark = '"reason":"poisoned"'

/** Between the id of a poisoned call and the end of the id of its retry: a second retry of one call is the same call. */
export const retryEnd = "-retry"

/** What a stored last event may hold besides its event: what the next process needs to know of the call. */
export interface EndNotes {
  /** Of a nested call: what its handler made it with. */
  readonly madeWith?: string
  /** Of a poisoned call: the call, to run it again. */
  readonly call?: ToolCall
}

/** The poisoned call of a row; undefined for a row that another version wrote, or that cannot be read. */
export const poisonedCall = ({ seq, result }: PoisonedRow): PoisonedCall | undefined => {
  try {
    const { call, content } = JSON.parse(result) as EndNotes & { readonly content: string }
    return (
      call && {
        seq,
        agentId: call.agentId,
        callId: call.callId,
        name: call.name,
        params: call.params,
        content,
      }
    )
  } catch {
    return undefined
  }
}

/** The call that runs a poisoned one once more. */
export const retryOf = (call: ToolCall): ToolCallInput => ({ ...call, callId: `${call.callId}${retryEnd}` })
