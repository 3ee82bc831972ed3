/** A host is killed before and after each of its commits; the next one goes on. */
import { mkdir } from "node:fs/promises"
import Libsql from "libsql"
import { describe, expect, it } from "vitest"
import type { ToolCallInput } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { ranIn, type Told, useHosts } from "./hosts.ts"
import type { HostPlan } from "./store-host.ts"

const path = useTempFolder()
const hosts = useHosts()

const calls: ReadonlyArray<ToolCallInput> = [
  { callId: "a1", agentId: "a", name: "work" },
  { callId: "a2", agentId: "a", name: "work", decision: "approve" },
  { callId: "a3", agentId: "a", name: "once" },
  { callId: "b1", agentId: "b", name: "ask" },
  { callId: "b2", agentId: "b", name: "work", decision: "deny" },
  { callId: "t1", agentId: "c", name: "work", background: true },
  { callId: "s1", name: "stage" },
]

const plan: HostPlan = { calls, decide: "approve", resolve: "apply" }

/** What each call ends with, wherever its hosts were killed. */
const contents: Readonly<Record<string, ReadonlyArray<string>>> = {
  a1: ["first;second;"],
  a2: ["first;second;"],
  a3: [
    "before;strict;",
    "Interrupted: the process ended while strict ran. It may have run, wholly or in part: look before you call it again.",
  ],
  b1: ["answeredanswered;"],
  b2: ["Denied by user"],
}

const ends = new Set(["Completed", "Error", "Denied", "Cancelled", "BackgroundCompleted"])

const storedIn = (folder: string) => {
  const database = new Libsql(`${folder}/calls.db`)
  const all = (sql: string) => database.prepare(sql).all() as Array<Record<string, string | number | null>>
  const events = all("SELECT event FROM events ORDER BY seq").map(
    (row) => JSON.parse(String(row.event)) as Told,
  )
  const open = all("SELECT call_id FROM calls WHERE ended_at IS NULL")
  const actions = all("SELECT action_id FROM actions")
  const tasks = all("SELECT task FROM tasks").map((row) => JSON.parse(String(row.task)) as Told)
  database.close()
  return { events, open, actions, tasks }
}

const count = (events: ReadonlyArray<Told>, _tag: string, callId: unknown) =>
  events.filter((event) => event._tag === _tag && event.callId === callId).length

/** Handlers run in their order; only what was in flight when its host was killed runs a second time, and never `strict`. */
const expectOrder = (ran: ReadonlyArray<string>): void => {
  const keys = (callId: string) => ran.filter((line) => line.startsWith(`${callId} `))
  for (const callId of new Set(ran.map((line) => line.split(" ")[0]!))) {
    const lines = keys(callId)
    const once = lines.filter((line, index) => line !== lines[index - 1])
    expect(once).toEqual([...new Set(lines)])
    for (const line of once) expect(lines.filter((other) => other === line).length).toBeLessThanOrEqual(2)
  }
  expect(ran.filter((line) => line.includes(" strict ")).length).toBeLessThanOrEqual(1)
  const lane = ran.map((line) => line.split(" ")[0]!).filter((callId) => callId.startsWith("a"))
  expect(lane).toEqual([...lane].sort())
}

const expectWhole = async (folder: string): Promise<void> => {
  const { events, open, actions, tasks } = storedIn(folder)
  expect(open).toEqual([])
  expect(actions).toEqual([])
  for (const { callId } of calls) {
    const last = events.filter((event) => event.callId === callId && ends.has(event._tag))
    expect(last).toHaveLength(1)
    expect(count(events, "Started", callId)).toBe(callId === "b2" ? 0 : 1)
    const content = contents[callId!]
    if (content !== undefined) expect(content).toContain(last[0]!.content)
  }
  expect(count(events, "BackgroundStarted", "t1")).toBe(1)
  expect(tasks).toMatchObject([{ id: "t1", status: "complete", content: "first;second;" }])
  const resolved = events.filter(({ _tag }) => _tag === "ActionResolved")
  expect(resolved).toMatchObject([{ outcome: "applied" }])
  expectOrder(await ranIn(folder))
}

describe.each(["before", "after"] as const)("a host that is killed %s any of its commits", (kill) => {
  it("loses no call, runs no stored handler again, and tells each end once", async () => {
    let points = 0
    for (let killAt = 1, isKilled = true; isKilled; killAt += 1) {
      const folder = path(`${kill}-${killAt}`)
      await mkdir(folder)
      isKilled = await hosts.dies(folder, { ...plan, killAt, kill })
      if (isKilled) {
        points += 1
        expect(await hosts.dies(folder, plan)).toBe(false)
      }
      try {
        await expectWhole(folder)
      } catch (error) {
        throw new Error(`Killed ${kill} commit ${killAt}`, { cause: error })
      }
    }
    expect(points).toBeGreaterThan(20)
  }, 300_000)
})
