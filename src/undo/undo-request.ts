/** Requests of `undo`: parsed, validated, and described. */

import { expectFlag, expectKnown, expectText, got } from "../model/got.ts"
import type { ChangesFilter, UndoRequest } from "./changes.ts"

/** The name of the tool that undoes changes. A tool registered under this name replaces it. */
export const undoName = "undo"

/** The parameters of `undo`. Exactly one selects the calls. */
export interface UndoParams {
  readonly call_id?: string
  readonly turn?: number
  /** ISO 8601. */
  readonly since?: string
  readonly last?: number
  readonly merge?: boolean
}

/** Epoch milliseconds. */
export const timeOf = (since: number | Date): number => (typeof since === "number" ? since : since.getTime())

/** The sentence about unknown changes by commands. */
export const notKnown = (commands: ReadonlyArray<string>): string =>
  `What ${commands.slice(0, 10).join(", ")}${commands.length > 10 ? ` and ${commands.length - 10} more` : ""} may have changed is not known.`

/** Describes a request. */
export const wordsOf = (agentId: string, request: UndoRequest): string => {
  if ("callId" in request) return `call ${JSON.stringify(request.callId)}`
  if ("turn" in request) return `turn ${request.turn} of agent ${agentId}`
  if ("since" in request) return `agent ${agentId} since ${new Date(request.since).toISOString()}`
  return `the last ${request.last === 1 ? "call" : `${request.last} calls`} of agent ${agentId}`
}

const keys = ["callId", "turn", "since", "last"] as const

const isPositive = (value: unknown): boolean => Number.isInteger(value) && (value as number) > 0

const isTime = (value: unknown): boolean =>
  (typeof value === "number" && Number.isFinite(value)) ||
  (value instanceof Date && Number.isFinite(value.getTime()))

const expected: Readonly<Record<(typeof keys)[number], readonly [string, (value: unknown) => boolean]>> = {
  callId: ["the id of a call", (value) => typeof value === "string" && value !== ""],
  turn: ["the number of a turn", isPositive],
  since: ["epoch milliseconds or a Date", isTime],
  last: ["a positive integer", isPositive],
}

const expectUndoRequest = (request: unknown): void => {
  const { merge, ...asked } = (request ?? {}) as { readonly merge?: unknown }
  expectFlag("merge", merge, " of `undo`")
  const given = Object.entries(asked).filter(([, value]) => value !== undefined)
  const [entry] = given
  if (typeof request !== "object" || given.length !== 1 || !keys.includes(entry![0] as "turn"))
    throw new TypeError(
      `Expected \`undo\` to be given one of ${keys.join(", ")}, got \`{ ${given.map(([key]) => key).join(", ")} }\``,
    )
  const [what, isIt] = expected[entry![0] as "turn"]
  if (!isIt(entry![1]))
    throw new TypeError(`Expected \`${entry![0]}\` of \`undo\` to be ${what}, ${got(entry![1])}`)
}

/** The call of the tool for a host's request. Throws a TypeError for anything but a request with exactly one of its keys. */
export const undoCall = (request: UndoRequest) => {
  expectUndoRequest(request)
  const { callId, since, ...rest } = request as {
    readonly [K in "callId" | "since"]?: string | number | Date
  }
  const params: UndoParams = {
    ...rest,
    ...(callId !== undefined && { call_id: String(callId) }),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
  }
  // A host that requests an undo has approved it: only calls of the model ask.
  return { name: undoName, params, decision: "approve" } as const
}

/** Throws a TypeError for anything but a filter. */
export const expectChangesFilter = (filter: ChangesFilter): void => {
  if (typeof filter !== "object" || filter === null)
    throw new TypeError(`Expected the filter of \`changes\` to be an object, ${got(filter)}`)
  expectKnown("`changes`", filter, ["agentId", "since"])
  expectText("agentId", filter.agentId, " of `changes`")
  if (filter.since !== undefined && !isTime(filter.since))
    throw new TypeError(
      `Expected \`since\` of \`changes\` to be epoch milliseconds or a Date, ${got(filter.since)}`,
    )
}
