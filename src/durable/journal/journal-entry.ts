/** One call in its journal: what is stored of it, and the data that its record lacks. */

import type { HostEffect } from "../../model/host-effect.ts"
import { failed } from "../../model/outcome.ts"
import { type Call, createdAt, currentPart } from "../../pipeline/call/call.ts"
import type { Question } from "../../pipeline/call/state.ts"
import type { AttemptsOf } from "../../pipeline/intake.ts"
import { gateLimit } from "../../pipeline/questions/gate-time.ts"
import { type CallSnapshot, queuedSnapshot } from "../../snapshots/snapshot.ts"
import { isMidway, writeMoving } from "../../snapshots/write-snapshot.ts"
import { messageOf } from "../../text/message-of.ts"
import type { AskedQuestion } from "../inbox.ts"
import { withinBounds } from "../kept-text.ts"
import type { CallRow, EndedRow, WrittenRow } from "../store.ts"

/** Returns whether a function of the host answers an effect. */
export type HasFunction = (effect: HostEffect) => boolean

/** The data that a row depends on besides its call. */
export interface EntryOptions {
  readonly approvalTimeout: number
  readonly maxAttemptsOf: AttemptsOf
  readonly hasFunction: HasFunction
}

/** A call that was stored before the executor received it. `row`: undefined if no executor has received it before. */
export interface Known {
  readonly snapshot: CallSnapshot
  readonly row: WrittenRow | undefined
}

/** Identifies the current or next handler; the same at each attempt. */
const placeOf = ({ state, at, decided, action }: Call): string =>
  state._tag === "Cleaning" ? `finally ${state.part}` : `${action?.actionId ?? ""}/${decided}/${at}`

/** Whether the next handler must not run twice. */
const runsOnce = (call: Call): boolean => {
  const part = currentPart(call)
  return (part?.kind === "handler" || part?.kind === "finally") && part.handler.retry === "never"
}

/** A call that has not ended. */
export class JournalEntry {
  readonly call: Call
  /** Whether the call has a row. */
  isKnown: boolean
  /** Whether a failed commit may have stored a row. */
  private mayBeThere = false
  isOver = false
  /** Whether the call gets its turn as soon as its row is stored: then the row need not be written again before that. */
  isNext = false
  /** The number of the commit that the call waits for before it acts. */
  commit = 0
  /** Whether the host ends this process on purpose: then no handler is to blame. */
  private isLeaving = false
  toldStarted: boolean
  toldBackground: boolean
  /** The last row that was written. Not kept while the call asks: the row may be long, and writing it again does no harm. */
  private written: WrittenRow | undefined
  /** JSON of the event that ended the call. */
  result: string | undefined
  /** JSON of the full text of a result that was cut. */
  whole: string | undefined
  private endedAt = 0
  private begun: string | undefined
  /** The number of the attempt that, according to the row, has begun or may have begun. */
  private storedAttempts: number
  /** Whether the call has begun, according to the row. */
  private hasBegun: boolean
  /** Whether this process's host gave the call to the executor, and hears of it there. */
  private readonly isHosts: boolean
  /** The id of the last question that the host was asked, and the time. */
  private asked = 0
  private askedAt: number | undefined
  private readonly options: EntryOptions

  constructor(call: Call, options: EntryOptions, known: Known | undefined) {
    this.call = call
    this.isKnown = known !== undefined
    this.isHosts = !this.isKnown
    this.options = options
    this.written = known?.row
    const { state, started = false, announced, attempts = 0, asked = 0, askedAt } = known?.snapshot ?? {}
    this.storedAttempts = attempts
    this.hasBegun = state !== undefined && state._tag !== "Queued"
    this.toldStarted = started
    this.toldBackground = announced === "yes"
    if (askedAt === undefined) return
    this.asked = asked
    this.askedAt = askedAt
  }

  get callId(): string {
    return this.call.toolCall.callId
  }

  get agentId(): string {
    return this.call.toolCall.agentId
  }

  /**
   * Records that the next handler begins, or continues after an answer. Returns true if this has to be stored first, so that the
   * next process does not run the handler, or cleans up.
   */
  begin(): boolean {
    const { call, hasBegun } = this
    this.hasBegun = true
    const isOnly = runsOnce(call) || this.options.maxAttemptsOf(call.tool, currentPart(call)) === 1
    if (call.attempts <= this.storedAttempts && !isOnly) return !hasBegun && call.finals.length > 0
    const place = placeOf(call)
    if (this.begun === place && this.attempts(true) <= this.storedAttempts) return false
    this.begun = place
    return true
  }

  /** Records that this process ends, but not because of a handler. Returns true if the row has to be corrected. */
  leave(): boolean {
    this.isLeaving = true
    return this.storedAttempts > 0 && !asks(this.call, this.options.hasFunction)
  }

  /** Whether the call waits for its host, or for its turn, and the row says all that another process needs. */
  get isAtRest(): boolean {
    const { call, isHosts, storedAttempts } = this
    const { state, toolCall, to, key, action } = call
    const isBound = to.outer !== undefined || key !== undefined || action !== undefined
    if (isHosts || isBound || toolCall.lane !== undefined) return false
    const question = questionIn(call)
    if (question === undefined || state._tag === "Queued")
      return state._tag === "Queued" && storedAttempts === 0
    return !isMidway(call, question) && asks(call, this.options.hasFunction)
  }

  /** Whether the open question differs from the one in the row, which other processes read. */
  get isAskedAnew(): boolean {
    const { asks, deadline } = this.question(this.openSince(Date.now()))
    return asks !== this.written?.asks || deadline !== this.written.deadline
  }

  /** The row to write; undefined if the stored one is up to date. */
  row(now: number): CallRow | undefined {
    const { callId, agentId, name, background } = this.call.toolCall
    const askedAt = this.openSince(now)
    const { asks, deadline } = this.question(askedAt)
    const snapshot = this.write(askedAt)
    const { written } = this
    const isWritten = snapshot === written?.snapshot && asks === written.asks && deadline === written.deadline
    this.written = asks ? undefined : { snapshot, asks, deadline }
    if (isWritten) return undefined
    const { mayBeThere } = this
    return { callId, agentId, name, isNew: !this.isKnown, mayBeThere, asks, background, snapshot, deadline }
  }

  private question(askedAt: number | undefined): Pick<CallRow, "asks" | "deadline"> {
    const { call } = this
    const { approvalTimeout, hasFunction } = this.options
    const question = questionIn(call)
    const isGate = askedAt !== undefined && question?.kind === "approval"
    const deadline = isGate ? askedAt + gateLimit(question, approvalTimeout) : Number.POSITIVE_INFINITY
    return {
      asks: asks(call, hasFunction),
      deadline: Number.isFinite(deadline) ? deadline : undefined,
    }
  }

  get endedRow(): EndedRow {
    const { callId, agentId, name } = this.call.toolCall
    const { mayBeThere, result, whole, endedAt } = this
    return { callId, agentId, name, isNew: !this.isKnown, mayBeThere, result, whole, endedAt }
  }

  /** @param at Epoch milliseconds. */
  ended(at: number): void {
    this.isOver = true
    this.endedAt = at
  }

  /** Records that a commit of the row failed. `isSure`: whether it is certain that the row was not stored. */
  commitFailed(isSure: boolean): void {
    this.written = undefined
    this.storedAttempts = 0
    if (!isSure) this.mayBeThere = true
  }

  /** Whether a question of the inbox is the open one. */
  isOpen({ kind, askedAt }: AskedQuestion): boolean {
    const { call } = this
    const question = questionIn(call)
    if (question === undefined) return kind === "start" && asks(call, this.options.hasFunction)
    const isKind = kind === (question.kind === "approval" ? "approval" : "effect")
    return isKind && question.id === this.asked && askedAt === this.askedAt
  }

  /** The time at which the host was asked the open question: later than for each question before, whatever the clock shows. */
  private openSince(now: number): number | undefined {
    const question = questionIn(this.call)
    if (question === undefined || (question.kind === "approval" && !question.isAsked)) return undefined
    if (this.asked !== question.id) {
      this.asked = question.id
      this.askedAt = Math.max(now, (this.askedAt ?? 0) + 1)
    }
    return this.askedAt
  }

  /** The number of attempts that have begun, or may have begun, when the row is stored. An attempt that waits for the host is not counted. */
  private attempts(begun: boolean): number {
    const { call, options, isLeaving } = this
    const { state, attempts, hasTurn, toolCall, tool } = call
    // The first attempt may begin before the row records it, unless a second one is not allowed.
    const isFree = !isLeaving && options.maxAttemptsOf(tool, currentPart(call)) > 1
    switch (state._tag) {
      case "Queued":
        return attempts === 0 && isFree && (hasTurn || this.isNext || toolCall.background) ? 1 : attempts
      case "Held":
      case "Stopping":
        return 0
      default: {
        const waits = asks(call, options.hasFunction) || call.nested?.areWaiting === true
        const counts = begun ? !isLeaving && !waits : attempts === 1 && isFree
        return counts ? attempts : Math.max(0, attempts - 1)
      }
    }
  }

  private write(askedAt: number | undefined): string {
    const { call } = this
    const begun = this.begun !== undefined && this.begun === placeOf(call)
    const attempts = this.attempts(begun)
    this.storedAttempts = attempts
    try {
      const { toldStarted, toldBackground } = this
      const notes = {
        begun: begun && runsOnce(call),
        toldStarted,
        toldBackground,
        askedAt,
        attempts,
        createdAt: createdAt(call, Date.now()),
      }
      return withinBounds(writeMoving(call, notes))
    } catch (error) {
      return JSON.stringify(unwritable(call, messageOf(error)))
    }
  }
}

const questionIn = ({ state, resume }: Call): Question | undefined => {
  if (state._tag === "Asking") return state.question
  return state._tag === "Queued" && resume?._tag === "Asking" ? resume.question : undefined
}

/** Whether the host is asked something that none of its functions answers. */
const asks = (call: Call, hasFunction: HasFunction): boolean => {
  const question = questionIn(call)
  if (question !== undefined)
    return question.kind === "delegate" ? !hasFunction(question.effect) : question.isAsked
  const { state, toolCall } = call
  return (state._tag === "Queued" || state._tag === "Held") && toolCall.decision === "requested"
}

/** Replaces a call that is not JSON, or too long: if its process dies, the call ends as an Error. */
const unwritable = ({ toolCall }: Call, message: string): CallSnapshot =>
  queuedSnapshot(
    { ...toolCall, params: {}, decision: "deny" },
    undefined,
    failed("failed", `Interrupted: the process ended, and the call could not be kept. ${message}`),
  )
