// @module-tag waits
/** A host is killed before and after each of its commits; the next one goes on. */
import { mkdir, readdir, readFile, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import Libsql from "libsql"
import { describe, expect, it } from "vitest"
import { connectSql } from "../../src/durable/postgres/sql.ts"
import type { ToolCallInput } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { usePostgres } from "../servers/postgres.ts"
import { describeWith } from "../support/needs.ts"
import { ranIn, type Told, useHosts } from "./hosts.ts"
import { expireRunners } from "./postgres/admin.ts"
import { type HostPlan, runHost } from "./store-host.ts"

const path = useTempFolder()
const hosts = useHosts()

const calls: ReadonlyArray<ToolCallInput> = [
  { callId: "a1", agentId: "a", name: "work" },
  { callId: "a2", agentId: "a", name: "work", decision: "approve" },
  { callId: "a3", agentId: "a", name: "once" },
  { callId: "a4", agentId: "a", name: "work", decision: "approve" },
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
  a4: ["first;second;"],
  b1: ["answeredanswered;"],
  b2: ["Denied by user"],
}

const ends = new Set(["Completed", "Error", "Denied", "Cancelled", "BackgroundCompleted"])

/** The next host. It is this process: that starts none, and what is killed at no commit is seen to end as one. */
const goOn = (folder: string, next: HostPlan) => runHost(folder, next, () => undefined)

type Rows = Array<Record<string, string | number | null>>

/** What is read of a store of either kind. */
interface Tables {
  readonly all: (table: string, where?: string) => Promise<Rows>
  readonly close: () => Promise<void>
}

const tablesIn = (file: string): Tables => {
  const database = new Libsql(file)
  return {
    all: async (table, where = "true") =>
      database.prepare(`SELECT * FROM ${table} WHERE ${where}`).all() as Rows,
    close: async () => void database.close(),
  }
}

const tablesOf = async (store: string): Promise<Tables> => {
  const sql = await connectSql(store, 1)
  return {
    all: async (table, where = "true") =>
      (await sql.run(`SELECT * FROM stepline_${table} WHERE ${where}`)) as Rows,
    close: () => sql.end(),
  }
}

const storedIn = async ({ all, close }: Tables) => {
  const read = (rows: Rows, column: string) => rows.map((row) => JSON.parse(String(row[column])) as Told)
  const events = read(await all("events", "true ORDER BY seq"), "event")
  const open = await all("calls", "ended_at IS NULL")
  const actions = await all("actions")
  const tasks = read(await all("tasks"), "task")
  await close()
  return { events, open, actions, tasks }
}

/** The files of a folder, by name. */
const filesIn = async (folder: string): Promise<Record<string, string>> => {
  const names = (await readdir(folder)).sort()
  return Object.fromEntries(
    await Promise.all(names.map(async (name) => [name, await readFile(join(folder, name), "latin1")])),
  )
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

const expectWhole = async (folder: string, tables: Tables): Promise<void> => {
  const { events, open, actions, tasks } = await storedIn(tables)
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

// What a kill leaves of a file is what lies on the disk: one host copies it at each moment, instead of one host killed at each.
describe("a host that is killed before or after any of its commits", () => {
  it("loses no call, runs no stored handler again, and tells each end once", async () => {
    const [folder, images] = [path("host"), path("images")]
    await mkdir(folder)
    await hosts.run(folder, { ...plan, images })
    const moments = await readdir(images)
    expect(moments.length).toBeGreaterThan(40)
    await expectWhole(folder, tablesIn(`${folder}/calls.db`))
    for (const moment of moments) {
      await rm(folder, { recursive: true })
      await rename(join(images, moment), folder)
      await goOn(folder, plan)
      try {
        await expectWhole(folder, tablesIn(`${folder}/calls.db`))
      } catch (error) {
        throw new Error(`Killed ${moment}`, { cause: error })
      }
    }
  }, 900_000)

  it("leaves behind what its folder held at that moment", async () => {
    const images = path("images")
    for (const [kill, killAt] of [
      ["before", 1],
      ["after", 1],
      ["before", 9],
      ["after", 9],
    ] as const) {
      const folder = path(`${kill}-${killAt}`)
      await mkdir(folder)
      expect(await hosts.dies(folder, { ...plan, killAt, kill, images })).toBe(true)
      const [left, image] = await Promise.all([folder, join(images, `${kill} ${killAt}`)].map(filesIn))
      expect(left).toEqual(image)
      await rm(images, { recursive: true })
    }
  })
})

describeWith("postgres")("a host of a Postgres store that is killed", () => {
  const server = usePostgres()

  // What it does before a commit, another store saw it do. Only one that is a server can have taken what its host never heard of.
  it("after any of its commits loses no call", async () => {
    let points = 0
    for (let killAt = 1, isKilled = true; isKilled; killAt += 1) {
      const folder = path(`after-${killAt}`)
      await mkdir(folder)
      const store = await server.database()
      isKilled = await hosts.dies(folder, { ...plan, store, killAt, kill: "after" })
      if (isKilled) {
        points += 1
        await expireRunners(store)
        await goOn(folder, { ...plan, store })
      }
      try {
        await expectWhole(folder, await tablesOf(store))
      } catch (error) {
        throw new Error(`Killed after commit ${killAt}`, { cause: error })
      }
    }
    expect(points).toBeGreaterThan(10)
  }, 900_000)
})
