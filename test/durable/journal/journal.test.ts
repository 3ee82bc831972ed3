import { expect, it } from "vitest"
import { Runner } from "../../../src/durable/runner.ts"
import type { Changes, JournalStore } from "../../../src/durable/store.ts"
import { FencedError } from "../../../src/durable/store-error.ts"
import { handler, pipeline, Step } from "../../../src/index.ts"
import { deferred, turn, until } from "../../support/deferred.ts"
import { registryOf } from "../../support/executor-of.ts"
import { expectNothingUnhandled } from "../../support/unhandled.ts"

expectNothingUnhandled()

it("what is stored once others run its calls harms nothing: who waited for it was told already", async () => {
  const committed = deferred()
  const store: JournalStore = { firstSequence: 0, commit: () => committed.promise, close: () => {} }
  const registry = registryOf({ tool: pipeline().andThen(() => Step.Output("done")) })
  const { executor, journal } = new Runner({ store, registry }, {})
  executor.enqueue([{ name: "tool" }])
  const stored = expect(journal.stored()).rejects.toBeInstanceOf(FencedError)
  journal.fence()
  await stored
  committed.resolve()
  await turn()
  await executor.shutdown()
})

it("is stored, for who asks while the last change is on its way", async () => {
  const commits: Array<() => void> = []
  const store: JournalStore = {
    firstSequence: 0,
    commit: () => new Promise((resolve) => commits.push(resolve)),
    close: () => {},
  }
  const { executor, journal } = new Runner({ store, registry: registryOf({}) }, {})
  journal.staged("main")
  await turn()
  expect(commits).toHaveLength(1)
  const stored = journal.stored()
  // What it schedules finds the store busy.
  await turn()
  commits[0]!()
  await stored
  expect(commits).toHaveLength(1)
  await executor.shutdown()
})

it("stores nothing more than was there when it was closed, and loses nothing of that", async () => {
  const commits: Array<{ readonly agents: ReadonlyArray<string>; readonly over: () => void }> = []
  const store: JournalStore = {
    firstSequence: 0,
    commit: ({ actions }) =>
      new Promise((resolve) => commits.push({ agents: [...actions.keys()], over: resolve })),
    close: () => {},
  }
  const { executor, journal } = new Runner({ store, registry: registryOf({}) }, {})
  journal.staged("first")
  const first = journal.stored()
  await until(() => commits.length === 1)
  journal.staged("before")
  const before = journal.stored()
  const down = executor.shutdown()
  commits[0]!.over()
  await until(() => commits.length === 2)
  journal.staged("meanwhile")
  const meanwhile = expect(journal.stored()).rejects.toThrow(
    "The store was being closed: this was not stored. Open it again, and ask again",
  )
  commits[1]!.over()
  await down
  await Promise.all([first, before, meanwhile])
  expect(commits.map(({ agents }) => agents)).toEqual([["first"], ["before"]])
})

it("stores what a hundred gates ask, and the answers to all of them, with a few commits", async () => {
  let commits = 0
  const commit = () => {
    commits += 1
  }
  const store: JournalStore = { firstSequence: 0, commit, close: () => {} }
  const gated = pipeline()
    .awaitApproval()
    .andThen(() => Step.Output("done"))
  const { executor, journal } = new Runner({ store, registry: registryOf({ gated }) }, {})
  journal.begin()
  const ids = Array.from({ length: 100 }, (_, index) => `c${index}`)
  const runs = ids.map((callId) => executor.run({ callId, agentId: callId, name: "gated" }, () => {}))
  await until(() => executor.inspect().every(({ waitingFor }) => waitingFor === "approval"))
  await journal.stored()
  expect(commits).toBeLessThan(10)
  commits = 0
  for (const callId of ids) executor.approve(callId)
  await Promise.all(runs)
  expect(commits).toBeLessThan(10)
  await executor.shutdown()
})

it("stores that a call has begun which is to be cleaned up, before its first handler runs", async () => {
  const stored: Array<string> = []
  const commit = async ({ calls }: Changes) => {
    await turn()
    for (const { snapshot } of calls) stored.push(JSON.parse(snapshot).state._tag)
  }
  const store: JournalStore = { firstSequence: 0, commit, close: () => {} }
  let before: ReadonlyArray<string> = []
  const lock = pipeline()
    .andThen(() => {
      before = [...stored]
      return Step.Output("done")
    })
    .finally(handler("unlock", () => Step.Continue))
  // As where several processes queue calls: its row is stored before its turn comes.
  const behindOthers = (_: unknown, join: () => void) => join()
  const { executor, journal } = new Runner({ store, registry: registryOf({ lock }), behindOthers }, {})
  journal.begin()
  await executor.run({ callId: "c", name: "lock" })
  expect(before).toEqual(["Queued", "Running"])
  await executor.shutdown()
})
