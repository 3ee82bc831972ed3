/**
 * Ends the work on calls. A shutdown cancels them and runs their cleanup. Durable calls are kept instead, and so is a call that its
 * host takes out: another process continues them.
 */

import { byShutdown } from "../model/decision.ts"
import type { StagedAction } from "../model/staged-action.ts"
import type { Call } from "./call/call.ts"
import { abandon } from "./call/handling.ts"
import type { Engine } from "./engine.ts"
import type { ExecutorJournal } from "./executor-environment.ts"
import { shutdownReason } from "./intake.ts"
import { failUnread } from "./questions/asking.ts"
import { soon } from "./schedule/soon.ts"

/** Ends an executor's calls and its events. */
export const shutDown = async (engine: Engine, journal: ExecutorJournal | undefined): Promise<void> => {
  engine.closing = true
  if (journal === undefined) await cancelAll(engine)
  else await leave(engine, journal)
  engine.deadlines.dispose()
  engine.events.close()
}

/** Forgets a call at rest, and what it holds. Its snapshot continues it. */
export const leaveCall = (engine: Engine, call: Call): void => {
  const { toolCall, action } = call
  const { agentId, callId } = toolCall
  call.to.onLeft?.(new Error(`Call "${callId}" was taken out of its executor: its snapshot continues it`))
  const { released } = engine
  const done = abandon(engine, call)
  engine.released = released === undefined ? done : released.then(() => done)
  if (action !== undefined) engine.actions.takeOut(agentId, action)
  if (call.key !== undefined) engine.keys.end(call, undefined, 0)
  engine.ended(call)
  if (toolCall.background) engine.tasks.left(callId)
  engine.watchers.left(callId)
  // Later, because other calls begin then, and the host has not received the snapshot yet.
  void soon.then(() => {
    engine.pool.release(call)
    engine.limiter?.leave(call)
    engine.lanes.leave(call)
  })
}

/** Forgets a pending action. */
export const leaveAction = (engine: Engine, agentId: string, action: StagedAction): void => {
  engine.actions.takeOut(agentId, action)
  engine.watchers.left(action.actionId)
}

const cancelAll = async (engine: Engine): Promise<void> => {
  const { calls, signals, actions } = engine
  for (const call of calls.all()) {
    // A call that is cleaning up cannot be cancelled, but must not wait for a host that has stopped reading.
    if (!engine.cancelOne(call, shutdownReason, byShutdown)) failUnread(engine, call)
  }
  signals.abort(undefined, shutdownReason)
  await calls.allEnded()
  // Only now, because actions that were being applied are pending again.
  actions.close()
  await calls.allEnded()
  if (engine.released !== undefined) await engine.atMost(engine.released)
  await engine.cleanUp()
}

/**
 * Stops running handlers without ending their calls, which another process continues. Shutdown cleanups do not run, because
 * results may name the files that they would remove.
 */
const leave = async (engine: Engine, journal: ExecutorJournal): Promise<void> => {
  const { calls, tasks, actions, signals } = engine
  engine.leaving = journal.close().then(() => engine.mailbox.leave())
  await engine.leaving
  const error = new Error("The executor was shut down: the call goes on once its store is opened again")
  const ended = calls.leave().map((call) => {
    call.to.onLeft?.(error)
    return abandon(engine, call)
  })
  tasks.leave()
  actions.leave()
  signals.abort(undefined, shutdownReason)
  await engine.atMost(Promise.all(ended))
  journal.left()
}
