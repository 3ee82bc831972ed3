/**
 * The receipts of handlers with their own `undo`, as calls keep them: also in snapshots, and in a store until the call's end
 * is deleted.
 */

import { isDeepStrictEqual } from "node:util"
import type { ToolCall } from "../model/call.ts"
import type { EffectHandler, UndoFunction } from "../model/handler.ts"
import type { PipelinePart } from "../model/pipeline.ts"
import type { Tool } from "../model/tool.ts"
import { jsonFault } from "../output/plain-json.ts"

/** Maximum size of all receipts of one call, in characters of JSON. */
const maxCharacters = 100_000

/** A receipt: its call, and its number among those of the call. */
export interface ReceiptId {
  /** The call whose handler gave the receipt. */
  readonly callId: string
  readonly index: number
}

/** A receipt that a handler gave. */
export interface GivenReceipt {
  readonly handler: string
  /** How many handlers of the same name follow the handler in its pipeline. */
  readonly place: number
  readonly receipt: unknown
}

/** A receipt of an earlier call that a call of `undo` has undone; if not `isSure`, it has only begun to. */
export interface TakenReceipt extends ReceiptId {
  readonly isSure: boolean
}

/** The receipts that the handlers of one call gave and undid. Plain JSON. */
export interface CallReceipts {
  /** When the call first changed something, in epoch milliseconds. */
  readonly at: number
  readonly turn: number
  readonly given: Array<GivenReceipt>
  taken: Array<TakenReceipt>
}

/** The receipts of a call, with what another process needs to find the handlers. Plain JSON. */
export interface StoredReceipts extends CallReceipts {
  /** The call as its handlers see it. */
  readonly call: ToolCall
  /** For a call that applied a preview: the call that made the preview. */
  readonly sourceCallId?: string | undefined
  readonly toolVersion?: string | undefined
}

/** Returns what is wrong with a receipt, as the end of a sentence; undefined for a valid one. */
export const receiptFault = (receipt: unknown, given: ReadonlyArray<GivenReceipt>): string | undefined => {
  if (receipt === undefined) return "is undefined, and no JSON"
  const fault = jsonFault(receipt, "receipt")
  if (fault !== undefined) return `is no plain JSON: ${fault}`
  const own = JSON.stringify(receipt).length
  const all = given.reduce((sum, each) => sum + JSON.stringify(each.receipt).length, own)
  if (all <= maxCharacters) return undefined
  const which = all === own ? "has" : "and the call's others have"
  return `${which} ${all} characters of JSON, and ${maxCharacters} are kept. Give what its undo needs to find the rest, such as an id`
}

/** Whether an earlier process gave the same receipt: each one that it gave counts once. */
export const wasGiven = (
  kept: GivenReceipt,
  earlier: { readonly receipts: Array<GivenReceipt> } | undefined,
): boolean => {
  const at = earlier?.receipts.findIndex((each) => isDeepStrictEqual(each, kept)) ?? -1
  if (at >= 0) earlier!.receipts.splice(at, 1)
  return at >= 0
}

const handlersNamed = (
  parts: ReadonlyArray<PipelinePart<unknown>>,
  name: string,
): Array<EffectHandler<unknown>> =>
  parts.flatMap((part) => {
    const handler =
      part.kind === "resolve" ? part.onDiscard : part.kind === "approval" ? undefined : part.handler
    return handler?.name === name ? [handler] : []
  })

/** The handler's place, counted from the end, because the part that applies a preview is the end of a pipeline. */
export const placeIn = (
  parts: ReadonlyArray<PipelinePart<unknown>>,
  handler: EffectHandler<unknown>,
): number => {
  const named = handlersNamed(parts, handler.name)
  return Math.max(0, named.length - 1 - named.lastIndexOf(handler))
}

/** The `undo` of the handler that gave a receipt, in the pipeline that its tool composes now; undefined if it no longer exists. */
export const undoOf = (
  toolOf: (name: string, version?: string) => Tool<unknown> | undefined,
  { call, toolVersion }: StoredReceipts,
  { handler, place }: GivenReceipt,
): UndoFunction | undefined => {
  const tool = toolOf(call.name, toolVersion)
  if (tool === undefined) return undefined
  try {
    return handlersNamed(tool.compose(call.params, call).steps, handler).at(-1 - place)?.undo
  } catch {
    return undefined
  }
}
