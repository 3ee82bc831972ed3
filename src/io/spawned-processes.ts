/** Tells which processes were started, also those that a library starts and keeps to itself. */
import type { ChildProcess } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"

/** Does some work that is told of all processes that are started meanwhile, also by others. */
export const watchSpawns = async <A>(
  work: (processes: ReadonlyArray<ChildProcess>) => Promise<A>,
): Promise<A> => {
  const processes: Array<ChildProcess> = []
  const onSpawn = (message: unknown) => {
    processes.push((message as { readonly process: ChildProcess }).process)
  }
  subscribe("child_process", onSpawn)
  try {
    return await work(processes)
  } finally {
    unsubscribe("child_process", onSpawn)
  }
}
