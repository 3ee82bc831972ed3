/** What is written of calls that a store holds when it is opened: only what has changed. */
import { expect, it, onTestFinished } from "vitest"
import { restoreAll } from "../../../src/durable/journal/restore.ts"
import { type DurableOptions, Runner } from "../../../src/durable/runner.ts"
import type { CallRow, StoredCall } from "../../../src/durable/store.ts"
import { pipeline, Step } from "../../../src/index.ts"
import type { CallSnapshot } from "../../../src/snapshots/snapshot.ts"
import { until } from "../../support/deferred.ts"
import { type Plan, registryOf } from "../../support/executor-of.ts"
import { expectNothingUnhandled } from "../../support/unhandled.ts"

expectNothingUnhandled()

const gated = pipeline()
  .awaitApproval()
  .andThen(() => Step.Output("done"))

/** A runner of a store that holds these calls, and the rows of calls that it has written since. */
const runnerOf = (
  calls: ReadonlyArray<StoredCall>,
  options: DurableOptions = {},
  plans: Readonly<Record<string, Plan>> = { gated },
) => {
  const rows: Array<CallRow> = []
  const store = {
    firstSequence: 0,
    commit: (changes: { readonly calls: ReadonlyArray<CallRow> }) => void rows.push(...changes.calls),
    close: () => {},
  }
  const runner = new Runner({ store, registry: registryOf(plans) }, options)
  onTestFinished(() => runner.close())
  restoreAll({ tasks: [], actions: [], calls }, runner.journal)
  const { executor, journal } = runner
  return { runner, executor, journal, rows }
}

/** Calls of one lane, as they are stored while the first of them waits at its gate. */
const waiting = async (...callIds: ReadonlyArray<string>): Promise<Array<StoredCall>> => {
  const { runner, rows, executor, journal } = runnerOf([])
  journal.begin()
  executor.enqueue(callIds.map((callId) => ({ callId, name: "gated" })))
  await until(() => rows.some(({ asks }) => asks))
  await runner.close()
  const last = new Map(rows.map((row) => [row.callId, row]))
  return [...last.values()].map((row) => ({ ...row, row }))
}

const nextQuestion = async ({ executor }: Runner) => {
  for await (const event of executor.events) if (event._tag === "AwaitingApproval") return event
  throw new Error("Nothing was asked")
}

it("of a call that waits at its gate nothing is written until it is answered", async () => {
  const calls = await waiting("asked", "queued")
  const again = runnerOf(calls)
  await again.journal.stored()
  again.journal.begin()
  await nextQuestion(again.runner)
  await again.journal.stored()
  expect(again.rows).toEqual([])
  expect(again.executor.approve("asked")).toBe(true)
  expect((await nextQuestion(again.runner)).callId).toBe("queued")
  await again.journal.stored()
  expect(again.rows.map(({ callId, asks }) => ({ callId, asks }))).toContainEqual({
    callId: "queued",
    asks: true,
  })
})

const snapshotIn = (row: CallRow["snapshot"]): CallSnapshot => JSON.parse(row) as CallSnapshot

it("of one that has another deadline now the rest is written as it was, before its question is put again", async () => {
  const [call] = await waiting("asked")
  // Its process died before it told of its start.
  const { started: _, ...untold } = snapshotIn(call!.row.snapshot)
  const row = { ...call!.row, snapshot: JSON.stringify(untold) }
  const { journal, rows } = runnerOf([{ ...call!, row }], { approvalTimeout: "1 hour" })
  await journal.stored()
  expect(rows).toHaveLength(1)
  const { askedAt } = untold
  expect(rows[0]).toMatchObject({ callId: "asked", isNew: false, asks: true, deadline: askedAt! + 3_600_000 })
  expect(snapshotIn(rows[0]!.snapshot)).toEqual(untold)
})

it("of one that cannot go on it is written before its turn that it asks nothing", async () => {
  const [first] = await waiting("first")
  const lost = await waiting("lost")
  const gone = lost.map((call) => ({
    ...call,
    row: { ...call.row, snapshot: call.row.snapshot.replace('"name":"gated"', '"name":"gone"') },
  }))
  const { journal, rows } = runnerOf([first!, ...gone])
  await journal.stored()
  expect(rows.map(({ callId, asks }) => ({ callId, asks }))).toEqual([{ callId: "lost", asks: false }])
})

it("of one that cannot go on its cleanup does, also in a third process", async () => {
  const cleaned: Array<string> = []
  const planned = (cleanup: () => Promise<Step> | Step) =>
    pipeline()
      .andThen(() => Step.Continue)
      .awaitApproval()
      .finally(function cleanUp() {
        cleaned.push("begun")
        return cleanup()
      })
  const [call] = await waiting("lost")
  const snapshot = snapshotIn(call!.row.snapshot)
  const shape = "approval awaitApproval, finally cleanUp"
  const row = { ...call!.row, snapshot: JSON.stringify({ ...snapshot, shape }) }
  const second = runnerOf([{ ...call!, row }], {}, { gated: planned(() => new Promise(() => {})) })
  second.journal.begin()
  await until(() => cleaned.length === 1)
  await second.journal.stored()
  const cleaning = { ...row, snapshot: second.rows.at(-1)!.snapshot }
  const third = runnerOf([{ ...call!, row: cleaning }], {}, { gated: planned(() => Step.Continue) })
  third.journal.begin()
  await until(() => cleaned.length === 2)
  const changed = /^Cannot restore "lost": the pipeline of tool "gated" has another shape/
  expect(await third.executor.next()).toMatchObject({
    _tag: "Error",
    content: expect.stringMatching(changed),
  })
})
