/** Ends an attempt where it stands, and waits a bounded time for the finalizers of its Effect. */

import { formatMillis } from "../model/options.ts"
import type { Expiring } from "../schedule/deadlines.ts"
import type { Engine } from "./engine.ts"
import type { Interpreter } from "./interpreter.ts"

export interface Stopping {
  /** Called once: at once where nothing has to be waited for. */
  readonly stopped: () => void
  /** Called before `stopped` if the time ran out. */
  readonly leftBehind: (failure: string) => void
}

export const stopAttempt = (
  engine: Engine,
  attempt: Interpreter,
  reason: DOMException,
  then: Stopping,
): void => {
  const { finallyTimeout } = engine.settings
  const handler = attempt.current
  let stopped = false
  let timer: Expiring | undefined
  attempt.interrupt(reason, () => {
    if (stopped) return
    stopped = true
    if (timer !== undefined) engine.deadlines.clear(timer)
    then.stopped()
  })
  if (stopped) return
  timer = engine.deadlines.after(finallyTimeout, () => {
    stopped = true
    then.leftBehind(`${handler}: did not stop within ${formatMillis(finallyTimeout)} and was left behind`)
    then.stopped()
  })
}
