/** The end of an executor: its calls are cancelled and cleaned up; where they are durable, they are left to go on elsewhere. */
import { failUnread } from "./call/asking.ts"
import type { ExecutorJournal } from "./executor-environment.ts"
import type { ExecutorParts } from "./executor-parts.ts"
import { shutdownReason } from "./intake.ts"
import { byShutdown } from "./model/decision.ts"

/** Ends what an executor does, and its events. Resolves when that is done. */
export const shutDown = async (parts: ExecutorParts): Promise<void> => {
  const { engine, journal, queue } = parts
  engine.closing = true
  if (journal === undefined) await cancelAll(parts)
  else await leave(parts, journal)
  engine.deadlines.dispose()
  queue.close()
}

const cancelAll = async ({ calls, signals, actions, engine }: ExecutorParts): Promise<void> => {
  for (const { actor } of calls.all()) {
    // Those that are cleaning up are helped on where they wait for a host that is gone.
    if (!actor.cancel(shutdownReason, byShutdown)) failUnread(actor)
  }
  signals.abort(undefined, shutdownReason)
  await calls.allEnded()
  // Only now: what was being applied is pending again.
  actions.close()
  await calls.allEnded()
  await engine.cleanUp()
}

/** The calls go on in another process: what runs here is ended, and nobody is told. What results name, such as files, is kept. */
const leave = async (parts: ExecutorParts, journal: ExecutorJournal): Promise<void> => {
  const { engine, calls, tasks, actions, signals } = parts
  engine.leaving = journal.close().then(() => engine.mailbox.leave())
  await engine.leaving
  const ended = calls.leave(
    new Error("The executor was shut down: the call goes on once its store is opened again"),
  )
  tasks.leave()
  actions.leave()
  signals.abort(undefined, shutdownReason)
  await engine.atMost(ended)
  journal.left()
}
