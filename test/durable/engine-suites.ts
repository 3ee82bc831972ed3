/**
 * The engine's own suites, run once more on durable executors: what is promised in memory is promised there too. What does not
 * hold there, or says nothing about it, stands here with the reason, and nowhere else.
 */

/** Suites that run on durable executors too. A new one does, unless it is left out below. */
export const suites = ["test/pipeline/**/*.test.ts", "test/tasks/**/*.test.ts", "test/resolve/**/*.test.ts"]

/** Suites that stay out, by the reason. */
const leftOut: Readonly<Record<string, ReadonlyArray<string>>> = {
  "they run no executor, or one of their own making": [
    "test/pipeline/schedule/{deadlines,deadline-heap,fifo}.test.ts",
    "test/pipeline/call/{calling-agent,crossings,exploration,machine-page,mutations,output-schema,replay}.test.ts",
    "test/pipeline/effect-form.test.ts",
    "test/resolve/{actions.property,services}.test.ts",
  ],
  "they measure what the engine costs in memory": [
    "test/pipeline/{idle-memory,scale}.test.ts",
    "test/pipeline/schedule/parallel-reads.test.ts",
  ],
  "they write one call down, and read it back: here every call is": ["test/snapshots/snapshot.test.ts"],
  "a shutdown ends no call of a store: they go on once it is opened again": [
    "test/pipeline/shutdown.test.ts",
    "test/resolve/shutdown.test.ts",
  ],
  "they list what happens within one turn of the event loop; here what is told waits for the store": [
    "test/pipeline/answers.test.ts",
  ],
}

/** For vitest's configuration. */
export const excluded: Array<string> = Object.values(leftOut).flat()

const shutdown = "a shutdown ends no call of a store: it goes on once it is opened again"
const toldLater = "what is told waits for the store, and the call goes on meanwhile"
const manyCommits = "it waits for thousands of commits"

const manyStores = "it makes a hundred executors"

/** Tests that stay out, by file and name. */
export const differences: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "test/pipeline/enqueue.test.ts": { "makes up ids that no other executor makes up": manyStores },
  "test/pipeline/host-faults.test.ts": {
    "that cancels, enqueues and shuts down from inside the reader of `run` does no harm": shutdown,
    "that answers at once, from inside the event, a thousand times over does not grow the stack": manyCommits,
  },
  "test/pipeline/run-events.test.ts": {
    "leaves a question that was read to its reader while the executor shuts down": shutdown,
  },
  "test/pipeline/call/async-context.test.ts": {
    "is the staging call's for what cleans up after an action that is dropped": shutdown,
  },
  "test/pipeline/call/background.test.ts": {
    "that is cancelled by whoever is told of its start is never announced": toldLater,
  },
  "test/pipeline/call/decided-by.test.ts": {
    "of a cancel by the shutdown, also of what comes after it": shutdown,
  },
  "test/pipeline/call/edit-restart.test.ts": { "shutdown wins": shutdown },
  "test/pipeline/call/ended-while-admitted.test.ts": {
    "a filter that shuts down at its first look is followed by nothing of the call": shutdown,
    "a compose that shuts down is not followed by its pipeline": shutdown,
  },
  "test/pipeline/call/finally-timeout.test.ts": { "bounds the cleanup of a shutdown": shutdown },
  "test/pipeline/call/finally.test.ts": {
    shutdown,
    "shutdown, of a background call": shutdown,
  },
  "test/pipeline/events/delta-merging.test.ts": {
    "merge into the call's last undelivered one, and lose nothing while they are small": shutdown,
  },
  "test/tasks/tasks.test.ts": {
    "resolves when the task is cancelled, and at shutdown": shutdown,
  },
  "test/resolve/finally.test.ts": {
    "run once when it is dropped by a shutdown, for every agent, before the shutdown is over": shutdown,
  },
}
