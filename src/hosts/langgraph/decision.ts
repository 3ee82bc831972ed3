/** Questions and answers at an interrupt of a graph, in the shapes of LangChain's `humanInTheLoopMiddleware`, so that its clients work. */

import type { CallDecision } from "../../model/decision.ts"
import { got } from "../../model/got.ts"
import { textOf } from "../../output/output.ts"
import type { JsonSchema } from "../../schema/json-schema.ts"
import type { LoopCall } from "../agent-loop/agent-loop.ts"
import type { LoopAnswer } from "../agent-loop/first-answer.ts"

/** A call in an interrupt. */
export interface LangGraphAction {
  readonly name: string
  readonly args: unknown
  /** Why somebody has to decide and, for a call of `resolve`, the preview. */
  readonly description: string
}

/** The value of an interrupt: calls that wait for their approval. */
export interface LangGraphQuestion {
  readonly actionRequests: ReadonlyArray<LangGraphAction>
  readonly reviewConfigs: ReadonlyArray<{
    readonly actionName: string
    readonly allowedDecisions: ReadonlyArray<"approve" | "edit" | "reject">
    readonly argsSchema: JsonSchema
  }>
}

/** A call that somebody has to decide on. */
export interface AskedCall {
  readonly call: LoopCall
  readonly decision: CallDecision
  readonly parameters: JsonSchema
}

/** Describes a call for the person who decides. */
export const actionOf = ({ call, decision: { reason = "", applies } }: AskedCall): LangGraphAction => {
  const preview = textOf(applies?.preview)
  return {
    name: call.name,
    args: call.params,
    description: preview === "" ? reason : `${reason}\n\n${preview}`,
  }
}

export const questionOf = (asked: ReadonlyArray<AskedCall>): LangGraphQuestion => ({
  actionRequests: asked.map(actionOf),
  reviewConfigs: asked.map(({ call, decision, parameters }) => ({
    actionName: call.name,
    // A preview was made for its parameters.
    allowedDecisions: decision.applies ? ["approve", "reject"] : ["approve", "edit", "reject"],
    argsSchema: parameters,
  })),
})

/** Reads one decision; undefined for anything else. */
export const answerOf = (decision: unknown): LoopAnswer | undefined => {
  const { type, message, editedAction } = Object(decision) as Readonly<Record<string, unknown>>
  if (type === "approve") return "approve"
  if (type === "reject") return { deny: typeof message === "string" ? message : undefined }
  const { args } = Object(editedAction) as { readonly args?: unknown }
  return type === "edit" && args !== undefined ? { params: args } : undefined
}

/** Reads the answers that a graph was resumed with, by call id. Throws a TypeError for anything but one decision for each call. */
export const answersIn = (
  resumed: unknown,
  asked: ReadonlyArray<AskedCall>,
): ReadonlyMap<string, LoopAnswer> => {
  const { decisions } = Object(resumed) as { readonly decisions?: unknown }
  const answers = Array.isArray(decisions) ? decisions.map(answerOf) : []
  if (answers.length !== asked.length || answers.includes(undefined)) {
    throw new TypeError(
      `Resume the graph with { decisions: […] } of one decision for each of these calls: ${asked.map(({ call }) => call.name).join(", ")}. A decision is { type: "approve" }, { type: "reject", message } or { type: "edit", editedAction: { name, args } }, ${got(resumed)}`,
    )
  }
  return new Map(asked.map(({ call }, index) => [call.callId, answers[index]!]))
}
