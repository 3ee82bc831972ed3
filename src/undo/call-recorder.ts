/** Records the changes of one call: `changes` of its handlers' context. */

import type { EffectHandler } from "../model/handler.ts"
import { ToolError } from "../model/step.ts"
import type { Call } from "../pipeline/call/call.ts"
import type { Journal } from "../pipeline/call/journal.ts"
import type { KeyedCall } from "./call-record.ts"
import type { ChangeKeeper, ChangeRecorder, ChangingCall, KeptChange } from "./changes.ts"
import {
  type CallReceipts,
  placeIn,
  type ReceiptId,
  receiptFault,
  type StoredReceipts,
  wasGiven,
} from "./receipts.ts"
import type { RecordedChanges } from "./recorded-changes.ts"
import type { UndoBounds } from "./undo-options.ts"

/** The receipts of a call, for a snapshot and its stored end; undefined if there are none. */
export const storedReceipts = (call: Call): StoredReceipts | undefined => {
  const { receipts, subject, links, action, tool } = call
  if (receipts === undefined) return undefined
  const toolVersion = (action ?? links.settled)?.staging?.toolVersion ?? tool?.version
  return { ...receipts, call: subject, sourceCallId: links.sourceCallId, toolVersion }
}

/** The recorder of a call. `store` is for the handlers of `undo`. */
export class CallRecorder implements ChangeRecorder {
  readonly store: RecordedChanges
  readonly keyed: KeyedCall
  /** Set by the handlers of `undo`. */
  undoes: ReadonlyArray<string> | undefined
  private readonly cwd: string
  private readonly of: Call
  private readonly journal: Journal | undefined

  constructor(store: RecordedChanges, cwd: string, call: Call, journal: Journal | undefined) {
    const { subject, links, to, origin } = call
    const { agentId, callId, name } = subject
    this.store = store
    this.cwd = cwd
    this.of = call
    this.journal = journal
    this.keyed = {
      key: subject,
      turnKey: to.turn ?? origin,
      agentId,
      callId: links.sourceCallId ?? callId,
      appliedBy: callId,
      name,
    }
  }

  get bounds(): UndoBounds {
    return this.store.bounds
  }

  get call(): ChangingCall {
    const { key: _, turnKey, ...call } = this.keyed
    const turn = this.store.turnOf(call.agentId, turnKey)
    return { cwd: this.cwd, ...call, turn, ...(this.undoes && { undoes: this.undoes }) }
  }

  add(keeper: ChangeKeeper, changes: ReadonlyArray<KeptChange>): void {
    this.store.add(this.keyed, keeper, changes)
  }

  unknown(what: string): void {
    this.store.addUnknown(this.keyed, what)
  }

  /** Keeps a receipt of a handler. Throws a ToolError for one that cannot be kept. */
  receipt(handler: EffectHandler<unknown>, receipt: unknown): void {
    const { keyed, of: call, receipts } = this
    const { given } = receipts
    const { name } = handler
    const fault = receiptFault(receipt, given)
    if (fault !== undefined) {
      this.unknown(`${name}, whose receipt was refused,`)
      throw new ToolError(`${name} did its work, and cannot take it back: its receipt ${fault}`)
    }
    const id = { callId: keyed.appliedBy, index: given.length }
    const kept = { handler: name, place: placeIn(call.parts, handler), receipt: structuredClone(receipt) }
    if (wasGiven(kept, call.earlier)) return
    given.push(kept)
    this.store.addReceipt(keyed, { name, undo: () => handler.undo, receipt: kept.receipt, id })
  }

  /** Records that a receipt is about to be undone, and resolves once that is stored, because the process can end meanwhile. */
  async takes(id: ReceiptId): Promise<void> {
    this.receipts.taken.push({ ...id, isSure: false })
    await this.journal?.keep(this.of)
  }

  /** Records that the receipt was undone. */
  took(id: ReceiptId): void {
    this.leaves(id)
    this.receipts.taken.push({ ...id, isSure: true })
  }

  /** Records that the receipt was not undone after all. */
  leaves({ callId, index }: ReceiptId): void {
    const { receipts } = this
    receipts.taken = receipts.taken.filter((each) => each.callId !== callId || each.index !== index)
  }

  /** Reads the stored receipts of the agent's calls, also of other processes. */
  async refresh(): Promise<void> {
    const stored = await this.journal?.receipts(this.keyed.agentId)
    if (stored !== undefined) this.store.restoreReceipts(stored)
  }

  private get receipts(): CallReceipts {
    const { of: call, store, keyed } = this
    call.receipts ??= { ...store.startOf(keyed), given: [], taken: [] }
    return call.receipts
  }
}
