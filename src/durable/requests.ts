/**
 * Requests to the process that runs the calls, each as a row. The transaction that stores the effect of a request also
 * stores its answer.
 */

import type { ToolCallInput } from "../model/call.ts"
import type { ApproveOptions } from "../model/event.ts"
import type { ToolOutput } from "../output/output.ts"
import type { ListedApproval } from "../pipeline/questions/answer-list.ts"
import { isPlainObject } from "../schema/plain-object.ts"
import type { AskedQuestion } from "./inbox.ts"

/** The answer to an effect. */
export type EffectAnswer = { readonly output?: string | ToolOutput } | { readonly error: string }

type Verdict = { readonly approve: ListedApproval } | { readonly deny: true | string }

interface Answering {
  readonly callId: string
  /** The question to answer. Default: the open one. */
  readonly question?: AskedQuestion
  /** The person who answers. */
  readonly by?: string
}

/** A request about a call or a task. Plain JSON. */
export type CallRequest =
  | ({ readonly _tag: "Approve"; readonly options?: ApproveOptions } & Answering)
  | ({ readonly _tag: "Deny"; readonly reason?: string } & Answering)
  /** Its outcome contains the reason if an answer did not take effect. */
  | ({ readonly _tag: "Answer"; readonly answer: Verdict } & Answering)
  | ({ readonly _tag: "Respond"; readonly answer: EffectAnswer } & Answering)
  | { readonly _tag: "Cancel"; readonly callId: string; readonly reason?: string }
  | { readonly _tag: "Take"; readonly callId: string }

/** A request to the process that runs the calls. Plain JSON. */
export type Request = CallRequest | { readonly _tag: "Enqueue"; readonly calls: ReadonlyArray<ToolCallInput> }

/** The outcome of a request, such as whether it took effect, or why it failed. */
export type RequestAnswer = { readonly took: unknown } | { readonly error: string }

/** A request of another process that is not answered yet. */
export interface OpenRequest {
  readonly id: number
  readonly text: string
}

/** Reads a request; undefined for a text that is not a JSON object. */
export const readRequest = (text: string): Request | undefined => {
  try {
    const request: unknown = JSON.parse(text)
    return isPlainObject(request) ? (request as unknown as Request) : undefined
  } catch {
    return undefined
  }
}
