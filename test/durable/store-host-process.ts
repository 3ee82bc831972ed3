/** A host in a process of its own, which tells a line of JSON each. It can be told to kill itself at any of its commits. */
import { cpSync } from "node:fs"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { PostgresJournalStore } from "../../src/durable/postgres/journal-store.ts"
import { PostgresStore } from "../../src/durable/postgres/postgres-store.ts"
import { StoreDatabase } from "../../src/durable/sqlite/database.ts"
import { SqliteJournalStore } from "../../src/durable/sqlite/journal-store.ts"
import { type HostPlan, killOf, runHost, storeOf } from "./store-host.ts"

const [cwd, planText] = process.argv.slice(2) as [string, string]
const plan = JSON.parse(planText) as HostPlan

let lines = 0

const tell = (line: object) => {
  process.stdout.write(`${JSON.stringify(line)}\n`)
  lines += 1
  if (lines === plan.diesTelling) process.kill(process.pid, "SIGKILL")
}

let commits = 0

const isImaged = (kill: "before" | "after"): boolean => {
  const { imageEvery } = plan
  return (
    imageEvery === undefined || ((commits - 1) % imageEvery === 0 && kill === killOf(commits, imageEvery))
  )
}

/** Kills this process at the commit that the plan says, or copies what it would leave behind. */
const die = (kill: "before" | "after"): void => {
  if (kill === "before") commits += 1
  if (plan.images !== undefined && isImaged(kill)) {
    cpSync(cwd, `${plan.images}/${kill} ${commits}`, { recursive: true })
    if (plan.imageEvery !== undefined) tell({ _tag: "Copied", commit: commits, kill })
  }
  if (commits === plan.killAt && plan.kill === kill) process.kill(process.pid, "SIGKILL")
}

if (plan.killAt !== undefined || plan.images !== undefined) {
  const { transaction } = StoreDatabase.prototype
  StoreDatabase.prototype.transaction = function (this: StoreDatabase, work) {
    die("before")
    transaction.call(this, work)
    die("after")
  }
  const { commit } = PostgresJournalStore.prototype
  PostgresJournalStore.prototype.commit = async function (this: PostgresJournalStore, changes) {
    die("before")
    await commit.call(this, changes)
    die("after")
  }
  const { submit } = PostgresStore.prototype
  PostgresStore.prototype.submit = async function (this: PostgresStore, calls, runner) {
    die("before")
    const enqueued = await submit.call(this, calls, runner)
    die("after")
    return enqueued
  }
}

if (plan.diesCounted === true) {
  for (const { prototype } of [SqliteJournalStore, PostgresJournalStore]) {
    const { takeUses } = prototype
    prototype.takeUses = async function (this: never, callId, uses, now) {
      await takeUses.call(this, callId, uses, now)
      process.kill(process.pid, "SIGKILL")
      return new Promise(() => undefined)
    }
  }
}

if (plan.races !== undefined) {
  const client = await openDurableExecutor({ store: storeOf(cwd, plan), runner: false })
  const took = await Promise.all(plan.races.map((callId) => client.approve(callId)))
  tell({ _tag: "Raced", took: took.filter(Boolean).length })
  await client.close()
  process.exit(0)
}

// A call that waits for an answer holds no process, and this one may be killed only after it has told so.
const held = setInterval(() => undefined, 60_000)
await runHost(cwd, plan, tell)
clearInterval(held)
