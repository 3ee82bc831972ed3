/** Observes which processes are started, including those that a library does not expose. */
import type { ChildProcess } from "node:child_process"
import { subscribe, unsubscribe } from "node:diagnostics_channel"

/** Runs `work` with a list that receives all processes started meanwhile, also by other code. */
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
