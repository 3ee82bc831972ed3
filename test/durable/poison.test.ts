// @module-tag waits
/** A handler that ends its process: it takes no more processes with it than it has attempts, and no other call. */
import { describe, expect, it, onTestFinished } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { pipeline, Step } from "../../src/index.ts"
import { runNode, useCli } from "../cli/built-cli.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { usePostgres } from "../servers/postgres.ts"
import { describeWith } from "../support/needs.ts"
import { durableOf } from "./durable-of.ts"
import { ranIn, tag, useHosts } from "./hosts.ts"
import { adminOf, expireRunners } from "./postgres/admin.ts"

const poison = { callId: "p", agentId: "agent 0", name: "poison" }

const slow = Array.from({ length: 20 }, (_, index) => ({
  callId: `s${index}`,
  agentId: `agent ${index}`,
  name: "slow",
}))

const message = (name: string) =>
  `Poisoned: 3 processes ended while ${name} ran, so it does not run again. It may have run, wholly or in part: look before you call it again.`

/** The events that ended these calls, once all have ended. */
const endsOf = async (store: string, calls: ReadonlyArray<{ readonly callId: string }>) => {
  const client = await openDurableExecutor({ store, runner: false })
  onTestFinished(() => client.close())
  const ends = () => Promise.all(calls.map(({ callId }) => client.result(callId)))
  await expect.poll(ends).not.toContain(undefined)
  return ends()
}

/** Has a poisoned call run once more, by a process that it does not end. */
const expectRetried = async (store: string): Promise<void> => {
  let runs = 0
  const harmless = pipeline().andThen(() => {
    runs += 1
    return Step.Output("done")
  })
  const durable = await durableOf(store, { poison: harmless })
  const listed = { agentId: "agent 0", callId: "p", name: "poison", params: {}, content: message("poison") }
  expect(await durable.poisoned()).toMatchObject([listed])
  expect(await durable.poisoned({ agentId: "agent 1" })).toEqual([])
  expect(await durable.retry("s0")).toBeUndefined()
  expect(await durable.retry("p")).toBe("p-retry")
  await expect.poll(() => durable.result("p-retry")).toMatchObject({ _tag: "Completed", content: "done" })
  expect(await durable.poisoned()).toEqual([])
  expect(await durable.retry("p")).toBe("p-retry")
  await expect.poll(() => durable.executor.inspect()).toEqual([])
  expect(runs).toBe(1)
  expect(Object.keys((await durable.result("p"))!)).not.toContain("call")
}

describe("a poisoned call in a file", () => {
  const path = useTempFolder()
  const { dies } = useHosts()
  const cli = useCli()
  const store = () => path("calls.db")

  /** Starts one process after the other, until one is not killed. Gives how many were. */
  const deaths = async (calls: ReadonlyArray<object>): Promise<number> => {
    let died = 0
    for (let plan: object = { calls }; await dies(path(), plan); plan = {}) died += 1
    return died
  }

  it("ends as an Error after three attempts and its cleanup, and every call beside it completes", async () => {
    expect(await deaths([...slow, poison])).toBe(3)
    const [end, ...others] = await endsOf(store(), [poison, ...slow])
    expect(end).toMatchObject({ _tag: "Error", reason: "poisoned", content: message("poison") })
    expect(others.map((other) => other?._tag)).toEqual(slow.map(() => "Completed"))
    const ran = await ranIn(path())
    expect(ran.filter((line) => line.startsWith("p "))).toEqual([
      "p poison 1",
      "p poison 2",
      "p poison 3",
      "p last p/0/finally 0",
    ])
    await expectRetried(store())
  })

  it("runs once more for `stepline inbox --retry`", async () => {
    expect(await deaths([poison])).toBe(3)
    const inbox = (...args: ReadonlyArray<string>) =>
      runNode([cli.path, "inbox", "--store", "calls.db", ...args], { cwd: path() })
    expect((await inbox("--poisoned")).stdout).toBe(`p of agent 0: poison {}\n  ${message("poison")}\n`)
    const durable = await durableOf(store(), { poison: pipeline().andThen(() => Step.Output("done")) })
    expect((await inbox("--retry", "p")).stdout).toBe("p runs again as p-retry.\n")
    await expect.poll(() => durable.result("p-retry")).toMatchObject({ content: "done" })
    expect((await inbox("--poisoned")).stdout).toBe("No call is poisoned.\n")
    const missed = await inbox("--retry", "x")
    expect(missed.stderr).toContain("x is no poisoned call of this store: --poisoned lists those.")
    expect(missed.status).toBe(1)
  })

  it("has as many attempts as its handler says", async () => {
    expect(await deaths([{ callId: "b", name: "brittle" }])).toBe(1)
    const call = { callId: "f", name: "fragile" }
    expect(await deaths([call])).toBe(3)
    const [end] = await endsOf(store(), [call])
    const cleanupErrors = [expect.stringContaining("twice: Poisoned: 2 processes ended")]
    expect(end).toMatchObject({ _tag: "Error", reason: "poisoned", cleanupErrors })
    const ran = ["b once 1", "f once 1", "f twice 1", "f twice 2", "f last f/0/finally 1"]
    expect(await ranIn(path())).toEqual(ran)
  })

  it("in its cleanup leaves that handler out, notes it, and runs the next one", async () => {
    const call = { callId: "c", name: "poisoned_cleanup" }
    expect(await deaths([call])).toBe(3)
    const [end] = await endsOf(store(), [call])
    expect(end).toMatchObject({
      _tag: "Completed",
      cleanupErrors: [`poisonedCleanup: ${message("poisonedCleanup")}`],
    })
    const ran = await ranIn(path())
    expect(ran.slice(1)).toEqual(["c cleanup 1", "c cleanup 2", "c cleanup 3", "c last c/0/finally 1"])
  })
})

describeWith("postgres")("a poisoned call among four runners", () => {
  const path = useTempFolder()
  const { start, dies } = useHosts()
  const server = usePostgres()

  it("does not run again where its handler has one attempt", async () => {
    const store = await server.database()
    expect(await dies(path(), { store, calls: [{ callId: "b", name: "brittle" }] })).toBe(true)
    await expireRunners(store)
    expect(await dies(path(), { store })).toBe(false)
    expect(await ranIn(path())).toEqual(["b once 1"])
  })

  it("ends three of them, and its calls and all others end with the fourth", async () => {
    const store = await server.database()
    const plan = { store, stays: true }
    const first = start(path(), { ...plan, calls: [...slow, poison] })
    await first.until(tag("Opened"))
    const hosts = [first, start(path(), plan), start(path(), plan), start(path(), plan)]
    const ends = await endsOf(store, [poison, ...slow])
    expect(ends[0]).toMatchObject({ _tag: "Error", reason: "poisoned", content: message("poison") })
    expect(ends.slice(1).map((end) => end?._tag)).toEqual(slow.map(() => "Completed"))
    expect((await ranIn(path())).filter((line) => line.startsWith("p poison"))).toHaveLength(3)
    for (const host of hosts) await host.kill("SIGKILL")
    await (await adminOf(store))`DELETE FROM stepline_runners`
    await expectRetried(store)
  })
})
