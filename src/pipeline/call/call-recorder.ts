/** Records the changes of one call: `changes` of its handlers' context. */
import type { ChangeKeeper, ChangeRecorder, KeptChange } from "../model/changes.ts"
import type { UndoBounds } from "../model/undo-options.ts"
import type { ChangingCall, RecordedChanges } from "../stores/changes.ts"
import type { Call } from "./call.ts"

/** The recorder of a call. `store` is for the handlers of `undo`. */
export class CallRecorder implements ChangeRecorder {
  readonly store: RecordedChanges
  readonly call: ChangingCall

  constructor(store: RecordedChanges, { subject, links, to, origin }: Call) {
    const { agentId, callId, name } = subject
    this.store = store
    this.call = {
      key: subject,
      agentId,
      callId: links.sourceCallId ?? callId,
      appliedBy: callId,
      name,
      turn: to.turn ?? origin,
    }
  }

  get bounds(): UndoBounds {
    return this.store.bounds
  }

  add(keeper: ChangeKeeper, changes: ReadonlyArray<KeptChange>): void {
    this.store.add(this.call, keeper, changes)
  }

  unknown(what: string): void {
    this.store.addUnknown(this.call, what)
  }
}
