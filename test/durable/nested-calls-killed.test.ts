// @module-tag waits
/** One program with a hundred calls, ten of which ask. Its host is killed at a commit, and the next one answers the other way round. */
import { mkdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { openRecording, recordedEvents } from "../../src/durable/recorded-events.ts"
import type { StoredEvent } from "../../src/durable/stored-event.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { usePostgres } from "../servers/postgres.ts"
import { describeWith } from "../support/needs.ts"
import { ranIn, type Told, useHosts } from "./hosts.ts"
import { expireRunners } from "./postgres/admin.ts"
import { type HostPlan, killOf, runHost, storeOf } from "./store-host.ts"

/** How many commits lie between two kills. A kill at each commit, by 1, takes some ten minutes. */
const killEvery = Number(process.env.KILL_EVERY ?? 14)

const path = useTempFolder()
const hosts = useHosts()

const source = `
  const told = []
  const tell = async (call) => told.push(await call.catch((error) => error.name + ": " + error.message))
  for (let round = 0; round < 10; round++) {
    const text = String(round)
    for (let step = 0; step < 6; step++) await tell(tools.step({ text }))
    await Promise.all([tools.step({ text }), tools.work({ text }), tools.step({ text }), tools.step({ text })].map(tell))
  }
  return told.sort()`

const plan: HostPlan = {
  calls: [{ callId: "o", name: "run_code", params: { source }, decision: "approve" }],
  approves: "even",
}

const ids = Array.from({ length: 100 }, (_, index) => `o/${index + 1}`)
const gated = ids.filter((_, index) => index % 10 === 7)

const eventsOf = async (store: string): Promise<Array<StoredEvent>> => {
  const recording = await openRecording(store)
  const events: Array<StoredEvent> = []
  for await (const event of recordedEvents(recording)) events.push(event)
  await recording.close()
  return events
}

const idsIn = (told: ReadonlyArray<Told | StoredEvent>, ...tags: ReadonlyArray<string>): Array<string> =>
  told.filter(({ _tag }) => tags.includes(_tag)).map((each) => String((each as Told).callId))

const ends = ["Completed", "Error", "Denied", "Cancelled"]

/** What a host told, and what had run when it ended. */
interface Life {
  readonly told: ReadonlyArray<Told>
  readonly ran: ReadonlyArray<string>
}

/** The hosts of one store, one after the other: all but the last were killed. */
const expectOnce = async (store: string, lives: ReadonlyArray<Life>): Promise<void> => {
  const events = await eventsOf(store)
  expect(idsIn(events, ...ends).sort(), "each call ends once").toEqual(["o", ...ids].sort())
  expect([...new Set(idsIn(events, "AwaitingApproval"))], "no question is lost").toEqual(gated)
  const denied = idsIn(events, "Denied")
  for (const [index, { told }] of lives.entries()) {
    const later = lives.slice(index + 1).flatMap((life) => idsIn(life.told, "AwaitingApproval"))
    for (const { _tag, callId, isApproved } of told) {
      if (_tag !== "Answered") continue
      expect(denied.includes(String(callId)), `the answer to ${callId} is kept`).toBe(!isApproved)
      expect(later, "what is answered is not asked again").not.toContain(callId)
    }
  }
  const { ran } = lives.at(-1)!
  const effects = ran.filter((line) => line.includes(" second "))
  const keys = gated
    .filter((callId) => !denied.includes(callId))
    .map((callId) => `${callId} second ${callId}/0/2`)
  expect([...new Set(effects)], "no effect is missing, and none is of a denied call").toEqual(keys)
  const inFlight = lives.slice(0, -1).map((life) => life.ran.slice(-8))
  const again = ran.filter((line, index) => ran.indexOf(line) < index)
  for (const line of again) {
    const kills = inFlight.filter((lines) => lines.includes(line)).length
    const times = again.filter((other) => other === line).length
    expect(times, "only what was in flight runs again, with its key").toBeLessThanOrEqual(kills)
  }
  expect(again.length).toBeLessThanOrEqual(4 * inFlight.length)
  const [end] = events.filter((event) => event._tag === "Completed" && event.callId === "o")
  const result = [
    ...Array(90).fill("step;"),
    ...denied.map(() => "ToolDenied: no"),
    ...keys.map(() => "first;second;"),
  ]
  expect(JSON.parse((end as { content: string }).content)).toEqual(result.sort())
}

const at = (commit: number): Pick<HostPlan, "killAt" | "kill"> => ({
  killAt: commit,
  kill: killOf(commit, killEvery),
})

/** Runs a host that is to be killed; undefined where it came to its end. */
const killed = async (folder: string, given: HostPlan): Promise<Life | undefined> => {
  const host = hosts.start(folder, given)
  if (!(await host.ended())) return undefined
  if (given.store !== undefined) await expireRunners(given.store)
  return { told: [...host.told], ran: await ranIn(folder) }
}

const last = async (folder: string, given: HostPlan): Promise<Life> => {
  const told: Array<Told> = []
  await runHost(folder, given, (line) => told.push(line as Told))
  return { told, ran: await ranIn(folder) }
}

/** Lets the next host come to its end. */
const goOn = async (commit: number, folder: string, given: HostPlan, life: Life): Promise<void> => {
  const lives = [life, await last(folder, { ...given, approves: "odd" })]
  try {
    await expectOnce(storeOf(folder, given), lives)
  } catch (error) {
    throw new Error(`Killed at commit ${commit}`, { cause: error })
  }
}

/** What a kill leaves of a file is what lies on the disk: one host copies it at each moment, instead of one host killed at each. */
const killInFile = async (): Promise<void> => {
  const [folder, images] = [path("host"), path("images")]
  await mkdir(folder)
  const told = await hosts.run(folder, { ...plan, images, imageEvery: killEvery })
  const copies = told.flatMap(({ _tag, commit, kill }, index) =>
    _tag === "Copied"
      ? [{ commit: Number(commit), name: `${kill} ${commit}`, told: told.slice(0, index) }]
      : [],
  )
  expect(copies.at(-1)?.commit).toBeGreaterThan(100 - killEvery)
  for (const { commit, name, told } of copies) {
    await rm(folder, { recursive: true })
    await rename(join(images, name), folder)
    await goOn(commit, folder, plan, { told, ran: await ranIn(folder) })
  }
}

/** Kills hosts of Postgres stores, which may have taken what their hosts never heard of. */
const killInPostgres = async (database: () => Promise<string>): Promise<void> => {
  let commit = 1
  for (; ; commit += killEvery) {
    const folder = path(String(commit))
    await mkdir(folder)
    const given = { ...plan, store: await database() }
    const life = await killed(folder, { ...given, ...at(commit) })
    if (life === undefined) break
    await goOn(commit, folder, given, life)
  }
  expect(commit).toBeGreaterThan(100)
}

/** Kills each host of a store, one after the other. */
const killAll = async (store?: string): Promise<void> => {
  const folder = path("all")
  await mkdir(folder)
  const given = { ...plan, ...(store !== undefined && { store }) }
  const lives: Array<Life> = []
  const next = (): HostPlan => ({ ...given, approves: lives.length % 2 === 0 ? "even" : "odd" })
  for (let isKilled = true; isKilled; ) {
    const life = await killed(folder, { ...next(), ...at(20 + lives.length) })
    isKilled = life !== undefined
    if (life !== undefined) lives.push(life)
    expect(lives.length).toBeLessThan(50)
  }
  expect(lives.length).toBeGreaterThan(5)
  lives.push(await last(folder, next()))
  await expectOnce(storeOf(folder, given), lives)
}

describe("a program whose host is killed asks each question, keeps each answer and has each effect once", () => {
  it("at one of its commits", killInFile, 900_000)
  it("again and again", () => killAll(), 300_000)
})

describeWith("postgres")("the same in a Postgres store", () => {
  const server = usePostgres()
  it("at one of its commits", () => killInPostgres(() => server.database()), 900_000)
  it("again and again", async () => killAll(await server.database()), 300_000)
})
