/**
 * Holds calls back at the limits of their tools, between their checks and their first handler. A call takes its places in the order
 * of the limits, concurrency before rates, so that no two calls wait for each other.
 */
import { messageOf } from "../../text/message-of.ts"
import { plural } from "../../text/plural.ts"
import type { Call } from "../call/call.ts"
import type { Input } from "../call/input.ts"
import { formatMillis } from "../model/duration.ts"
import { got } from "../model/got.ts"
import { describeLimit, type LimitSettings } from "../model/limits.ts"
import { failed } from "../model/outcome.ts"
import type { Deadlines } from "./deadlines.ts"
import { Pool } from "./pool.ts"
import { Rate } from "./rate.ts"

type Admitted = Extract<Input, { readonly _tag: "Admitted" }>
type Refused = Extract<Input, { readonly _tag: "Refused" }>

/** How many agents are counted, the last ones to call: without a bound, their counts would grow for ever. */
const mostAgents = 100_000

/** One limit, with what it has counted. */
interface Bound {
  readonly limit: LimitSettings
  readonly pool: Pool | undefined
  readonly rate: Rate | undefined
  readonly turns: WeakMap<object, number>
  readonly agents: Map<string, number>
}

/** Where a call takes a place: at once, or once there is room. */
interface Gate {
  readonly bound: Bound
  readonly kind: "concurrency" | "rate"
  readonly line: Pick<Rate, "take" | "release">
}

/** The limits of one tool, and its gates, in the order in which calls come to them. */
interface Course {
  readonly bounds: ReadonlyArray<Bound>
  readonly gates: ReadonlyArray<Gate>
}

/** A call on its way through its limits. */
interface Passage {
  readonly gates: ReadonlyArray<Gate>
  readonly costs: ReadonlyMap<Bound, number>
  /** Undefined once the call has begun. */
  admission: Admitted | undefined
  /** The index of the gate that the call waits at. */
  at: number
  /** The places that the call gives its nested calls of the same limits. */
  shared?: Map<Bound, Pool>
}

/** The limits of one executor. */
export class Limiter {
  private readonly bounds: ReadonlyArray<Bound>
  private readonly courses = new Map<string, Course>()
  private readonly passages = new Map<Call, Passage>()
  /** Lets a call begin that had to wait. Returns false if the call has ended. */
  private readonly begin: (call: Call, admission: Admitted) => boolean

  constructor(limits: ReadonlyArray<LimitSettings>, deadlines: Deadlines, begin: Limiter["begin"]) {
    const placed = (call: Call) => this.placed(call)
    this.begin = begin
    this.bounds = limits.map((limit) => {
      const { concurrency, rate } = limit
      return {
        limit,
        pool: concurrency === undefined ? undefined : new Pool(concurrency, placed),
        rate: rate === undefined ? undefined : new Rate(rate.max, rate.per, deadlines, placed),
        turns: new WeakMap(),
        agents: new Map(),
      }
    })
  }

  /** The input for a call after its checks: to begin, to wait, or to end because a limit is used up. */
  admit(call: Call, admission: Admitted | Refused): Input {
    if (admission._tag === "Refused") return admission
    const { bounds, gates } = this.courseOf(call)
    // A call that restarts with edited parameters has counted, and has its places.
    if (bounds.length === 0 || this.passages.has(call)) return admission
    const costs = new Map<Bound, number>()
    for (const bound of bounds) {
      const cost = costOf(bound, admission.params)
      if (typeof cost !== "number") return cost
      const refused = usedUp(bound, call, cost)
      if (refused !== undefined) return refused
      costs.set(bound, cost)
    }
    for (const [bound, cost] of costs) count(bound, call, cost)
    const passage: Passage = { gates: this.gatesFor(call, gates), costs, admission, at: 0 }
    this.passages.set(call, passage)
    if (this.proceed(call, passage)) {
      passage.admission = undefined
      return admission
    }
    return { _tag: "Limited", because: reasonOf(passage), maxWait: Math.min(...bounds.map(maxWaitOf)) }
  }

  /** Takes the places of a call that had begun in an earlier process. The call does not wait for them. */
  resume(call: Call): void {
    const course = this.courseOf(call)
    if (course.bounds.length === 0) return
    const gates = this.gatesFor(call, course.gates)
    for (const { kind, line } of gates) if (kind === "concurrency") line.take(call, 0)
    this.passages.set(call, { gates, costs: new Map(), admission: undefined, at: 0 })
  }

  /**
   * Nested calls share the place of the call around them that is under the same limit, one after another: that call does not end before
   * they do, so a place of their own could never come free.
   */
  private gatesFor(call: Call, gates: ReadonlyArray<Gate>): ReadonlyArray<Gate> {
    if (call.to.outer === undefined) return gates
    return gates.map((gate) => {
      const holder = gate.kind === "concurrency" ? this.holderOf(call.to.outer, gate.bound) : undefined
      if (holder === undefined) return gate
      holder.shared ??= new Map()
      const line = holder.shared.get(gate.bound) ?? new Pool(1, (placed) => this.placed(placed))
      holder.shared.set(gate.bound, line)
      return { ...gate, line }
    })
  }

  private holderOf(outer: Call | undefined, bound: Bound): Passage | undefined {
    if (outer === undefined) return undefined
    const passage = this.passages.get(outer)
    const isHolder = passage?.gates.some((gate) => gate.bound === bound && gate.kind === "concurrency")
    return isHolder === true ? passage : this.holderOf(outer.to.outer, bound)
  }

  /** Gives the places of a call back. A call that has not begun has not counted, nor has one that asks for its places again. */
  leave(call: Call, asksAgain = false): void {
    const passage = this.passages.get(call)
    if (passage === undefined) return
    this.passages.delete(call)
    if (passage.admission !== undefined || asksAgain)
      for (const [bound, cost] of passage.costs) count(bound, call, -cost)
    for (const { line } of passage.gates) line.release(call)
  }

  /** The message for a call that has waited as long as it may. */
  late(call: Call, waited: number): string {
    const passage = this.passages.get(call)!
    const { bound, line } = passage.gates[passage.at]!
    const wait = line instanceof Rate ? line.wait(passage.costs.get(bound)!) : 0
    const advice = wait > 0 ? `Try again in ${seconds(wait)}.` : "Try again later."
    return `Limit reached: ${reasonOf(passage)}. The call waited ${formatMillis(waited)} and was not run. ${advice}`
  }

  private courseOf({ toolCall: { name } }: Call): Course {
    const known = this.courses.get(name)
    if (known !== undefined) return known
    const bounds = this.bounds.filter(({ limit }) => limit.isFor(name))
    const course = { bounds, gates: gatesOf(bounds) }
    this.courses.set(name, course)
    return course
  }

  /** Takes the next places. Returns whether the call has all of them. */
  private proceed(call: Call, passage: Passage): boolean {
    for (; passage.at < passage.gates.length; passage.at += 1) {
      const { bound, line } = passage.gates[passage.at]!
      if (!line.take(call, passage.costs.get(bound)!)) return false
    }
    return true
  }

  /** A call that waited has the place that it waited for. Returns whether the call keeps it. */
  private placed(call: Call): boolean {
    const passage = this.passages.get(call)
    if (passage === undefined) return false
    const { admission } = passage
    if (admission === undefined) return true
    passage.at += 1
    if (!this.proceed(call, passage)) {
      if (call.state._tag === "Limited") call.state.because = reasonOf(passage)
      return true
    }
    passage.admission = undefined
    return this.begin(call, admission)
  }
}

const gateOf = (bound: Bound, kind: Gate["kind"], line: Gate["line"] | undefined): ReadonlyArray<Gate> =>
  line === undefined ? [] : [{ bound, kind, line }]

const gatesOf = (bounds: ReadonlyArray<Bound>): ReadonlyArray<Gate> => [
  ...bounds.flatMap((bound) => gateOf(bound, "concurrency", bound.pool)),
  ...bounds.flatMap((bound) => gateOf(bound, "rate", bound.rate)),
]

const maxWaitOf = ({ limit }: Bound): number => limit.maxWait

const reasonOf = ({ gates, at }: Passage): string => {
  const { bound, kind } = gates[at]!
  return describeLimit(bound.limit, kind)
}

const refused = (message: string, cause?: unknown): Refused => ({
  _tag: "Refused",
  outcome: failed("limit", message, cause),
})

/** The cost of a call, or the refusal of a call whose cost cannot be told or is never met. */
const costOf = ({ limit }: Bound, params: unknown): number | Refused => {
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

/** The refusal of a call for which waiting is of no use. */
const usedUp = ({ limit, turns, agents }: Bound, call: Call, cost: number): Refused | undefined => {
  const { rate, perTurn, perAgent } = limit
  const costs = cost === 1 ? "" : ` This call counts ${cost}.`
  if (rate !== undefined && cost > rate.max)
    return refused(`Limit: ${describeLimit(limit, "rate")}.${costs} It can never run: ask for less at once.`)
  if (perAgent !== undefined && (agents.get(call.toolCall.agentId) ?? 0) + cost > perAgent)
    return refused(`Limit reached: ${describeLimit(limit, "perAgent")}.${costs} Do not call it again.`)
  if (perTurn !== undefined && (turns.get(turnOf(call)) ?? 0) + cost > perTurn)
    return refused(
      `Limit reached: ${describeLimit(limit, "perTurn")}.${costs} Call it again in your next turn.`,
    )
  return undefined
}

/** The calls of one turn share one object. */
const turnOf = ({ to, origin }: Call): object => to.turn ?? origin

const count = ({ limit, turns, agents }: Bound, call: Call, cost: number): void => {
  const turn = turnOf(call)
  if (limit.perTurn !== undefined) turns.set(turn, (turns.get(turn) ?? 0) + cost)
  if (limit.perAgent === undefined) return
  const { agentId } = call.toolCall
  const sum = (agents.get(agentId) ?? 0) + cost
  // The agent that called last is the last one to be forgotten.
  agents.delete(agentId)
  agents.set(agentId, sum)
  if (agents.size > mostAgents) agents.delete(agents.keys().next().value!)
}

const seconds = (millis: number): string => plural(Math.ceil(millis / 1000), "second")
