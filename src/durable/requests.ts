/** What other processes ask of the one that runs the calls: a row each, answered in the transaction that it took effect in. */

import type { ToolOutput } from "../output/output.ts"
import type { ToolCallInput } from "../pipeline/model/call.ts"
import type { ApproveOptions } from "../pipeline/model/event.ts"
import { isPlainObject } from "../schema/plain-object.ts"
import type { AskedQuestion } from "./inbox.ts"

/** What answers an effect. */
export type EffectAnswer = { readonly output?: string | ToolOutput } | { readonly error: string }

interface Answering {
  readonly callId: string
  /** The question that is meant. Default: whichever is open. */
  readonly question?: AskedQuestion
}

/** What may be asked of a call, or of a task. Plain JSON. */
export type CallRequest =
  | ({ readonly _tag: "Approve"; readonly options?: ApproveOptions } & Answering)
  | ({ readonly _tag: "Deny"; readonly reason?: string } & Answering)
  | ({ readonly _tag: "Respond"; readonly answer: EffectAnswer } & Answering)
  | { readonly _tag: "Cancel"; readonly callId: string; readonly reason?: string }
  | { readonly _tag: "Take"; readonly callId: string }

/** What a process may ask of the one that runs the calls. Plain JSON. */
export type Request = CallRequest | { readonly _tag: "Enqueue"; readonly calls: ReadonlyArray<ToolCallInput> }

/** What came of it, such as whether it took effect, or why it could not. */
export type RequestAnswer = { readonly took: unknown } | { readonly error: string }

/** What was asked; undefined for what is no request. */
export const readRequest = (text: string): Request | undefined => {
  try {
    const request: unknown = JSON.parse(text)
    return isPlainObject(request) ? (request as unknown as Request) : undefined
  } catch {
    return undefined
  }
}
