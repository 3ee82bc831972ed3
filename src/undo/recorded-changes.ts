/** The changes of an executor's calls, oldest first and bounded: `executor.changes` lists them, and `undo` undoes them. */

import { ToolError } from "../model/step.ts"
import {
  type CallRecord,
  canBeUndone,
  isOf,
  type KeyedCall,
  type Receipt,
  shown,
  sizeOf,
  storedRecord,
  type UndoOf,
} from "./call-record.ts"
import type {
  CallChanges,
  ChangeKeeper,
  ChangesFilter,
  EarlierChanges,
  KeptChange,
  UndoPlan,
  UndoRequest,
} from "./changes.ts"
import type { StoredReceipts } from "./receipts.ts"
import type { UndoBounds } from "./undo-options.ts"
import { notKnown, timeOf, wordsOf } from "./undo-request.ts"

/** Maximum number of changed paths in memory. */
const maxPaths = 10_000

/** Maximum number of remembered ids of dropped calls, for a precise error message. */
const maxDropped = 1000

/** What a preview of `undo` would undo, and for which calls. */
export interface PlannedUndo {
  readonly records: ReadonlyArray<CallRecord>
  /** The plans that are not applied yet. */
  readonly plans: Array<{ readonly keeper: ChangeKeeper; readonly plan: UndoPlan }>
}

/** The changes of one executor. */
export class RecordedChanges {
  readonly bounds: UndoBounds
  /** By the call of `undo` that made the preview. */
  readonly planned = new Map<string, PlannedUndo>()
  private readonly now: () => number
  private readonly undoOf: UndoOf
  private records: Array<CallRecord> = []
  private paths = 0
  private readonly byCall = new WeakMap<object, CallRecord>()
  private readonly turns = new WeakMap<object, number>()
  private readonly lastTurns = new Map<string, number>()
  private readonly dropped = new Set<string>()

  constructor(bounds: UndoBounds, now: () => number, undoOf: UndoOf = () => undefined) {
    this.bounds = bounds
    this.now = now
    this.undoOf = undoOf
  }

  /** Adds changes of a call. */
  add(call: KeyedCall, keeper: ChangeKeeper, changes: ReadonlyArray<KeptChange>): void {
    if (changes.length === 0) return
    const { parts } = this.recordOf(call)
    const last = parts.at(-1)
    if (last?.keeper === keeper) for (const change of changes) last.changes.push(change)
    else parts.push({ keeper, changes: [...changes] })
    this.paths += changes.length
    this.drop()
  }

  /** Adds an effect of a call's handler. */
  addReceipt(call: KeyedCall, receipt: Receipt): void {
    this.recordOf(call).receipts.push(receipt)
    this.paths += 1
    this.drop()
  }

  /** Adds unknown changes that a call may have made. */
  addUnknown(call: KeyedCall, what: string): void {
    this.recordOf(call).unknown.push(what)
    this.paths += 1
    this.drop()
  }

  /** Adds the records of an earlier executor, oldest first. */
  restore(earlier: ReadonlyArray<EarlierChanges>): void {
    const restored: Array<CallRecord> = []
    for (const { keeper, changes, unknown, undoes, agentId, callId, appliedBy, name, turn, at } of earlier) {
      const parts = changes.length === 0 ? [] : [{ keeper, changes: [...changes] }]
      const call = { agentId, callId, appliedBy, name, turn, at }
      const record = { ...call, parts, receipts: [], unknown: [...unknown], undoes, undoneBy: undefined }
      restored.push(record)
      this.paths += sizeOf(record)
      if (undoes !== undefined) this.mark(restored, undoes, callId)
      this.hadTurn(record)
    }
    this.records = this.records.filter((record) => !this.joined(record, restored))
    this.admit(restored)
  }

  /**
   * Adds the receipts that handlers of stored calls gave and undid, oldest first, unless they are known. `key`: of a call
   * that continues in this executor.
   */
  restoreReceipts(all: ReadonlyArray<StoredReceipts>, key?: object): void {
    const restored = all.map((stored) => storedRecord(stored, this.undoOf, key))
    const fresh = restored.filter((record) => this.isNew(record) && !this.joined(record, this.records))
    for (const record of fresh) {
      this.paths += sizeOf(record)
      this.hadTurn(record)
      if (key !== undefined) this.byCall.set(key, record)
    }
    this.admit(fresh)
    for (const stored of all) if (stored.taken.length > 0) this.restoreTaken(stored)
    this.drop()
  }

  private restoreTaken({ call, sourceCallId = call.callId, taken }: StoredReceipts): void {
    const own = this.records.find(({ appliedBy }) => appliedBy === call.callId)
    const undoes = new Set(own?.undoes)
    for (const { callId, index, isSure } of taken) {
      for (const record of this.records) {
        const at = record.receipts.findIndex(({ id }) => id.callId === callId && id.index === index)
        if (at < 0) continue
        if (!isSure) record.receipts[at]!.mayBeTaken = true
        else {
          const [{ name }] = record.receipts.splice(at, 1) as [Receipt]
          own?.unknown.push(`the undo of ${name}`)
          undoes.add(record.callId)
          if (record.receipts.length === 0) record.undoneBy ??= sourceCallId
        }
      }
    }
    if (own?.undoes !== undefined) own.undoes = [...undoes]
  }

  /** Whether a stored record is unknown, and not empty. */
  private isNew({ receipts, undoes, appliedBy }: CallRecord): boolean {
    const isEmpty = receipts.length === 0 && undoes === undefined
    return !isEmpty && !this.records.some((each) => each.appliedBy === appliedBy)
  }

  /** Adds the receipts of a stored record to the change log's record of the same call. Returns whether there is one. */
  private joined(stored: CallRecord, records: ReadonlyArray<CallRecord>): boolean {
    const logged = stored.isStored && records.findLast((each) => isOf(stored, each))
    if (!logged) return false
    if (!logged.isStored) {
      logged.isStored = true
      logged.receipts.push(...stored.receipts)
      if (stored.key !== undefined) this.byCall.set(stored.key, logged)
    }
    return true
  }

  private hadTurn({ agentId, turn }: CallRecord): void {
    this.lastTurns.set(agentId, Math.max(turn, this.lastTurns.get(agentId) ?? 0))
  }

  private admit(restored: ReadonlyArray<CallRecord>): void {
    if (restored.length > 0)
      this.records = [...restored, ...this.records].sort((one, other) => one.at - other.at)
    this.drop()
  }

  /** Returns when a call first changed something, and in which turn. */
  startOf(call: KeyedCall): Pick<CallRecord, "at" | "turn"> {
    const known = this.byCall.get(call.key)
    return { at: known?.at ?? this.now(), turn: known?.turn ?? this.turnOf(call.agentId, call.turnKey) }
  }

  list({ agentId, since }: ChangesFilter = {}): Array<CallChanges> {
    this.drop()
    const from = since === undefined ? Number.NEGATIVE_INFINITY : timeOf(since)
    return this.records
      .filter((record) => record.at >= from && (agentId === undefined || record.agentId === agentId))
      .map(shown)
  }

  /** Selects the calls of an agent to undo, oldest first. Throws a ToolError that explains why there are none. */
  select(agentId: string, request: UndoRequest): Array<CallRecord> {
    this.drop()
    const found = "callId" in request ? this.ofCall(agentId, request.callId) : this.ofAgent(agentId, request)
    if (found.some(canBeUndone)) return found
    const { undoneBy } = found.findLast((record) => record.undoneBy !== undefined) ?? {}
    if (undoneBy !== undefined && found.every((record) => record.parts.length === 0))
      throw new ToolError(
        `Nothing is left of ${wordsOf(agentId, request)}: call "${undoneBy}" has taken it back.`,
      )
    const commands = found.flatMap(({ unknown }) => unknown)
    const may = commands.length === 0 ? "" : ` ${notKnown(commands)}`
    throw new ToolError(`Nothing that ${wordsOf(agentId, request)} changed can be taken back.${may}`)
  }

  /** Records that a call of `undo` has undone these calls. Undoing an undo restores its calls. */
  undone(by: KeyedCall, records: ReadonlyArray<CallRecord>): void {
    const own = this.recordOf(by)
    own.undoes = [...new Set(records.map(({ callId }) => callId))]
    this.mark(this.records, own.undoes, by.callId)
  }

  private mark(records: ReadonlyArray<CallRecord>, undoes: ReadonlyArray<string>, by: string): void {
    const undone = new Set(undoes)
    for (const record of records) {
      if (record.undoneBy !== undefined && undone.has(record.undoneBy)) record.undoneBy = undefined
      if (undone.has(record.callId) && record.callId !== by) record.undoneBy = by
    }
  }

  private recordOf({ key, turnKey, ...call }: KeyedCall): CallRecord {
    const known = this.byCall.get(key)
    if (known !== undefined) return known
    const record: CallRecord = {
      ...call,
      turn: this.turnOf(call.agentId, turnKey),
      at: this.now(),
      parts: [],
      receipts: [],
      unknown: [],
      undoes: undefined,
      undoneBy: undefined,
    }
    this.records.push(record)
    this.byCall.set(key, record)
    return record
  }

  /** The number of a turn of an agent. */
  turnOf(agentId: string, turn: object): number {
    const known = this.turns.get(turn)
    if (known !== undefined) return known
    const next = (this.lastTurns.get(agentId) ?? 0) + 1
    this.lastTurns.set(agentId, next)
    this.turns.set(turn, next)
    return next
  }

  private ofCall(agentId: string, callId: string): Array<CallRecord> {
    const all = this.records.filter(
      (record) =>
        record.callId === callId || record.appliedBy === callId || record.callId.startsWith(`${callId}/`),
    )
    // A call of an earlier process.
    const earlier = this.records.findLast((record) => record.callId.endsWith(`:${callId}`))
    const found = all.length > 0 || earlier === undefined ? all : [earlier]
    const own = found.filter((record) => record.agentId === agentId)
    if (own.length > 0) return own
    const id = JSON.stringify(callId)
    if (found.length > 0)
      throw new ToolError(`Call ${id} is of agent ${found[0]!.agentId}: undo it as that agent.`)
    if (this.dropped.has(callId))
      throw new ToolError(`What call ${id} changed was dropped: it is older or more than what is kept.`)
    throw new ToolError(
      `No change of call ${id} is recorded: there was no such call, or it changed nothing. List the changes first.`,
    )
  }

  private ofAgent(agentId: string, request: Exclude<UndoRequest, { callId: string }>): Array<CallRecord> {
    const own = this.records.filter(
      (record) => record.agentId === agentId && record.undoes === undefined && record.undoneBy === undefined,
    )
    if ("turn" in request) return own.filter(({ turn }) => turn === request.turn)
    if ("since" in request) {
      const since = timeOf(request.since)
      return own.filter(({ at }) => at >= since)
    }
    const oldest = own.filter(canBeUndone).at(-request.last) ?? own[0]
    return oldest === undefined ? [] : own.slice(own.indexOf(oldest))
  }

  /** Drops records that are too old and, above the bound, the oldest; never the latest call, however much it changed. */
  private drop(): void {
    const from = this.now() - this.bounds.maxAge
    // Down to 90 %, so that not every change causes a cut.
    const most = this.paths > maxPaths ? maxPaths * 0.9 : maxPaths
    let count = 0
    for (const record of this.records) {
      const isLatest = count === this.records.length - 1
      if (record.at >= from && (this.paths <= most || isLatest)) break
      count += 1
      this.paths -= sizeOf(record)
      this.dropped.add(record.callId)
      if (this.dropped.size > maxDropped) this.dropped.delete(this.dropped.values().next().value!)
    }
    if (count > 0) this.records = this.records.slice(count)
  }
}
