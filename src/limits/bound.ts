/** One limit of an executor: its counts in this process, and the calls that it refuses. */

import { got } from "../model/got.ts"
import { failed } from "../model/outcome.ts"
import type { Call } from "../pipeline/call/call.ts"
import type { Input } from "../pipeline/call/input.ts"
import type { Pool } from "../pipeline/schedule/pool.ts"
import { messageOf } from "../text/message-of.ts"
import { describeLimit, type LimitKind, type LimitSettings } from "./limits.ts"
import type { Rate } from "./rate.ts"

/** Ends a call before it has begun. */
export type Refused = Extract<Input, { readonly _tag: "Refused" }>

/** How many agents and named turns are counted, those that called last: otherwise their counts would grow without limit. */
const mostCounted = 100_000

/** One limit and its counts. */
export interface Bound {
  readonly limit: LimitSettings
  /** Distinguishes the limit from the others, in every process that has it. */
  readonly name: string
  readonly pool: Pool | undefined
  readonly rate: Rate | undefined
  readonly turns: WeakMap<object, number>
  readonly namedTurns: Map<string, number>
  readonly agents: Map<string, number>
}

const refused = (message: string, cause?: unknown): Refused => ({
  _tag: "Refused",
  outcome: failed("limit", message, cause),
})

/** The cost of a call, or the refusal of a call whose cost is invalid. */
export const costOf = ({ limit }: Bound, params: unknown): number | Refused => {
  if (limit.cost === undefined) return 1
  try {
    const cost = limit.cost(params)
    if (typeof cost !== "number" || !Number.isFinite(cost) || cost < 0)
      throw new TypeError(`expected a number of 0 or more, ${got(cost)}`)
    return cost
  } catch (error) {
    return refused(`The cost of this call for its limit could not be told: ${messageOf(error)}`, error)
  }
}

/** The refusal of a call that would wait in vain. */
export const usedUp = (bound: Bound, call: Call, cost: number): Refused | undefined => {
  const { limit, agents } = bound
  const { rate, perTurn, perAgent } = limit
  const refusedBy = (kind: LimitKind) => refused(usedUpMessage(limit, kind, cost))
  if (rate !== undefined && cost > rate.max) return refusedBy("rate")
  if (perAgent !== undefined && (agents.get(call.toolCall.agentId) ?? 0) + cost > perAgent)
    return refusedBy("perAgent")
  if (perTurn !== undefined && inTurn(bound, call) + cost > perTurn) return refusedBy("perTurn")
  return undefined
}

/** The message for the model when a limit is used up. */
export const usedUpMessage = (limit: LimitSettings, kind: LimitKind, cost: number): string => {
  const costs = cost === 1 ? "" : ` This call counts ${cost}.`
  if (kind === "rate")
    return `Limit: ${describeLimit(limit, kind)}.${costs} It can never run: ask for less at once.`
  const advice = kind === "perTurn" ? "Call it again in your next turn." : "Do not call it again."
  return `Limit reached: ${describeLimit(limit, kind)}.${costs} ${advice}`
}

/** The calls of a turn without a name share one object. */
const turnOf = ({ to, origin }: Call): object => to.turn ?? origin

const inTurn = ({ turns, namedTurns }: Bound, call: Call): number => {
  const { turn } = call.toolCall
  return (turn === undefined ? turns.get(turnOf(call)) : namedTurns.get(turn)) ?? 0
}

/** Counts a call; a negative cost takes the count back. */
export const count = (bound: Bound, call: Call, cost: number): void => {
  const { limit, turns, namedTurns, agents } = bound
  const { turn, agentId } = call.toolCall
  if (limit.perTurn !== undefined) {
    if (turn === undefined) turns.set(turnOf(call), inTurn(bound, call) + cost)
    else add(namedTurns, turn, cost)
  }
  if (limit.perAgent !== undefined) add(agents, agentId, cost)
}

const add = (counts: Map<string, number>, name: string, cost: number): void => {
  const sum = (counts.get(name) ?? 0) + cost
  // The entry that called last is dropped last.
  counts.delete(name)
  counts.set(name, sum)
  if (counts.size > mostCounted) counts.delete(counts.keys().next().value!)
}
