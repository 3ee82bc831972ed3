/**
 * Holds calls back at the limits of their tools, between their checks and their first handler. A call takes its places in the
 * order of the limits, concurrency before rates, so that no two calls wait for each other; last, all of its places in the store,
 * if there is one.
 */

import { formatMillis } from "../model/duration.ts"
import type { Call } from "../pipeline/call/call.ts"
import type { Input } from "../pipeline/call/input.ts"
import { Pool } from "../pipeline/schedule/pool.ts"
import type { Deadlines } from "../pipeline/time/deadlines.ts"
import { messageOf } from "../text/message-of.ts"
import { plural } from "../text/plural.ts"
import { type Bound, costOf, count, type Refused, usedUp, usedUpMessage } from "./bound.ts"
import { describeLimit, type LimitKind, type LimitSettings } from "./limits.ts"
import { Rate } from "./rate.ts"
import { type FullLimit, type LimitJournal, type LimitUse, StoredCounts } from "./stored-counts.ts"

type Admitted = Extract<Input, { readonly _tag: "Admitted" }>
type TimedOut = Extract<Input, { readonly _tag: "TimedOut" }>

/** The maximum number of rows in a store for one rate. */
const mostRows = 1000

/** A limit at which a call takes a place: at once, or when a place is free. */
interface Gate {
  readonly bound: Bound
  readonly kind: "concurrency" | "rate"
  readonly line: Pick<Rate, "take" | "release">
}

/** The limits of one tool, and its gates, in the order in which calls reach them. */
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
  /** Set while the call waits for its places in the store. */
  stored?: { readonly leaving: AbortController; bound: Bound; kind: LimitKind; wait: number }
  /** The places that the call gives its nested calls of the same limits. */
  shared?: Map<Bound, Pool>
}

/** The limits of one executor. */
export class Limiter {
  private readonly bounds: ReadonlyArray<Bound>
  private readonly courses = new Map<string, Course>()
  private readonly passages = new Map<Call, Passage>()
  private readonly stored: StoredCounts | undefined
  /** Calls that the store has counted and that may ask for a place again. */
  private readonly counted = new WeakSet<Call>()
  /** Names of turns, by their objects. */
  private readonly turnNames = new WeakMap<object, string>()
  /** Lets a call begin that had to wait, or ends it. Returns false if the call has ended. */
  private readonly begin: (call: Call, admission: Admitted | TimedOut) => boolean

  constructor(
    limits: ReadonlyArray<LimitSettings>,
    deadlines: Deadlines,
    begin: Limiter["begin"],
    journal?: LimitJournal,
  ) {
    const placed = (call: Call) => this.placed(call)
    this.begin = begin
    this.stored = journal && new StoredCounts(journal, deadlines)
    this.bounds = limits.map((limit, index) => {
      const { concurrency, rate, tools } = limit
      const nth = limits.slice(0, index).filter((other) => other.tools === tools).length
      return {
        limit,
        name: nth === 0 ? tools : `${tools} ${nth}`,
        pool: concurrency === undefined ? undefined : new Pool(concurrency, placed),
        rate: rate === undefined ? undefined : new Rate(rate.max, rate.per, deadlines, placed),
        turns: new WeakMap(),
        namedTurns: new Map(),
        agents: new Map(),
      }
    })
  }

  /** Names the turn of a new call, so that other processes can identify it. `turn`: an object that its calls share. */
  nameTurn(call: Call, turn: object): void {
    if (this.stored === undefined || this.bounds.every(({ limit }) => limit.perTurn === undefined)) return
    const { toolCall } = call
    toolCall.turn ??= this.turnNames.get(turn) ?? toolCall.callId
    this.turnNames.set(turn, toolCall.turn)
  }

  /** The input for a call after its checks: to begin, to wait, or to end because a limit is used up. */
  admit(call: Call, admission: Admitted | Refused): Input {
    if (admission._tag === "Refused") return admission
    const { bounds, gates } = this.courseOf(call)
    // A call that restarts with edited parameters is already counted, and has its places.
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
   * Nested calls share, one after another, the place of the outer call that has the same limit: the outer call does not end
   * before they do, so a separate place might never become free.
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

  /** Gives back the places of a call. A call that has not begun is not counted, nor is one that asks for its places again. */
  leave(call: Call, asksAgain = false): void {
    const passage = this.passages.get(call)
    if (passage === undefined) return
    this.passages.delete(call)
    if (passage.admission !== undefined || asksAgain)
      for (const [bound, cost] of passage.costs) count(bound, call, -cost)
    for (const { line } of passage.gates) line.release(call)
    passage.stored?.leaving.abort()
    if (asksAgain && this.counted.has(call)) this.stored?.leave(call)
  }

  /** The message for a call whose waiting time is over. */
  late(call: Call, waited: number): string {
    const passage = this.passages.get(call)!
    const wait = waitOf(passage)
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
    return this.stored === undefined || !this.asks(this.stored, call, passage)
  }

  /** Asks the store for the call's places, if there are any to ask for. */
  private asks(stored: StoredCounts, call: Call, passage: Passage): boolean {
    const isAsked = ({ kind }: LimitUse) =>
      kind === "concurrency" ? stored.isShared : !this.counted.has(call)
    const places = usesOf(call, passage).filter(([, use]) => isAsked(use))
    if (places.length === 0) return false
    const uses = places.map(([, use]) => use)
    const leaving = new AbortController()
    const at = { leaving, bound: places[0]![0], kind: uses[0]!.kind, wait: 0 }
    passage.stored = at
    const onFull = ({ index, wait = 0 }: FullLimit) => {
      Object.assign(at, { bound: places[index]![0], kind: uses[index]!.kind, wait })
      if (call.state._tag === "Limited") call.state.because = reasonOf(passage)
    }
    const answered = (input: () => Admitted | TimedOut) => {
      if (!leaving.signal.aborted) this.begin(call, input())
    }
    stored.take({ call, uses, signal: leaving.signal, onFull }).then(
      (full) =>
        answered(() => {
          if (full !== undefined) {
            const [{ limit }, { kind, cost }] = places[full.index]!
            return { _tag: "TimedOut", message: usedUpMessage(limit, kind, cost) }
          }
          const admission = passage.admission!
          this.counted.add(call)
          passage.admission = undefined
          delete passage.stored
          return admission
        }),
      (error) =>
        answered(() => ({
          _tag: "TimedOut",
          message: `The limits of this call could not be counted: ${messageOf(error)}`,
        })),
    )
    return true
  }

  /** Continues a call that got the place it waited for. Returns whether the call keeps the place. */
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

const reasonOf = ({ gates, at, stored }: Passage): string => {
  const { bound, kind } = stored ?? gates[at]!
  return describeLimit(bound.limit, kind)
}

/** The milliseconds until the limit has room for the call; 0 if unknown. */
const waitOf = ({ gates, at, stored, costs }: Passage): number => {
  if (stored !== undefined) return stored.wait
  const { bound, line } = gates[at]!
  return line instanceof Rate ? line.wait(costs.get(bound)!) : 0
}

/** The milliseconds that share a row, so that a rate has at most a thousand rows. */
const partOf = ({ max, per }: { readonly max: number; readonly per: number }, cost: number): number =>
  cost >= 1 && max <= mostRows ? 1 : Math.max(1, per / mostRows)

/** The uses that the store counts for a call, each with its limit. */
const usesOf = (call: Call, { costs, gates }: Passage): ReadonlyArray<readonly [Bound, LimitUse]> =>
  [...costs].flatMap(([bound, cost]) => {
    const { name, pool } = bound
    const { concurrency, rate, perTurn, perAgent } = bound.limit
    const useOf = (kind: LimitKind, cost: number, max: number | undefined, of = "") => {
      if (max === undefined || cost === 0) return []
      const key = JSON.stringify([kind, name, of])
      const isRate = kind === "rate" && rate !== undefined
      return [
        [
          bound,
          { kind, key, cost, max, ...(isRate && { rate: { per: rate.per, part: partOf(rate, cost) } }) },
        ] as const,
      ]
    }
    // A nested call shares the place of its outer call.
    const isOwn = gates.some(({ line }) => line === pool)
    return [
      ...useOf("perAgent", cost, perAgent, call.toolCall.agentId),
      ...useOf("perTurn", cost, perTurn, call.toolCall.turn),
      ...useOf("concurrency", isOwn ? 1 : 0, concurrency),
      ...useOf("rate", cost, rate?.max, String(rate?.per)),
    ]
  })

const seconds = (millis: number): string => plural(Math.ceil(millis / 1000), "second")
