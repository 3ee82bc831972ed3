/** Records the changes of one call: `changes` of its handlers' context. */

import type { Call } from "../pipeline/call/call.ts"
import type { ChangeKeeper, ChangeRecorder, ChangingCall, KeptChange } from "./changes.ts"
import type { KeyedCall, RecordedChanges } from "./recorded-changes.ts"
import type { UndoBounds } from "./undo-options.ts"

/** The recorder of a call. `store` is for the handlers of `undo`. */
export class CallRecorder implements ChangeRecorder {
  readonly store: RecordedChanges
  readonly keyed: KeyedCall
  /** Set by the handlers of `undo`. */
  undoes: ReadonlyArray<string> | undefined
  private readonly cwd: string

  constructor(store: RecordedChanges, cwd: string, { subject, links, to, origin }: Call) {
    const { agentId, callId, name } = subject
    this.store = store
    this.cwd = cwd
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
}
