/** The end of an executor: its calls are cancelled and cleaned up; where they are durable, they are left to go on elsewhere. */
import { cancel } from "./call/answers.ts"
import { failUnread } from "./call/asking.ts"
import { abandon } from "./call/handling.ts"
import type { Engine } from "./engine.ts"
import type { ExecutorJournal } from "./executor-environment.ts"
import { shutdownReason } from "./intake.ts"
import { byShutdown } from "./model/decision.ts"

/** Ends what an executor does, and its events. Resolves when that is done. */
export const shutDown = async (engine: Engine, journal: ExecutorJournal | undefined): Promise<void> => {
  engine.closing = true
  if (journal === undefined) await cancelAll(engine)
  else await leave(engine, journal)
  engine.deadlines.dispose()
  engine.events.close()
}

const cancelAll = async (engine: Engine): Promise<void> => {
  const { calls, signals, actions } = engine
  for (const call of calls.all()) {
    // Those that are cleaning up are helped on where they wait for a host that is gone.
    if (!cancel(engine, call, shutdownReason, byShutdown)) failUnread(engine, call)
  }
  signals.abort(undefined, shutdownReason)
  await calls.allEnded()
  // Only now: what was being applied is pending again.
  actions.close()
  await calls.allEnded()
  await engine.cleanUp()
}

/** The calls go on in another process: what runs here is ended, and nobody is told. What results name, such as files, is kept. */
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
