// @module-tag waits
/** One program with a hundred calls, ten of which ask. Its host is killed at a commit, and the next one answers the other way round. */
import { mkdir } from "node:fs/promises"
import { expect, it } from "vitest"
import { openRecording, recordedEvents } from "../../src/durable/recorded-events.ts"
import type { StoredEvent } from "../../src/durable/stored-event.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { usePostgres } from "../servers/postgres.ts"
import { describeWith } from "../support/needs.ts"
import { ranIn, type Told, useHosts } from "./hosts.ts"
import { expireRunners } from "./postgres/admin.ts"
import { type HostPlan, runHost, storeOf } from "./store-host.ts"

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

/** @param ranBefore What had run when the host was killed. */
const expectOnce = async (
  folder: string,
  store: string,
  ranBefore: ReadonlyArray<string>,
  before: ReadonlyArray<Told>,
  after: ReadonlyArray<Told>,
): Promise<void> => {
  const events = await eventsOf(store)
  expect(idsIn(events, ...ends).sort(), "each call ends once").toEqual(["o", ...ids].sort())
  expect([...new Set(idsIn(events, "AwaitingApproval"))], "no question is lost").toEqual(gated)
  const denied = idsIn(events, "Denied")
  for (const { _tag, callId, isApproved } of before) {
    if (_tag !== "Answered") continue
    expect(denied.includes(String(callId)), `the answer to ${callId} is kept`).toBe(!isApproved)
    expect(idsIn(after, "AwaitingApproval"), "what is answered is not asked again").not.toContain(callId)
  }
  const ran = await ranIn(folder)
  const effects = ran.filter((line) => line.includes(" second "))
  const keys = gated
    .filter((callId) => !denied.includes(callId))
    .map((callId) => `${callId} second ${callId}/0/2`)
  expect([...new Set(effects)], "no effect is missing, and none is of a denied call").toEqual(keys)
  const again = ran.filter((line, index) => ran.indexOf(line) < index)
  expect(again.length, "only what was in flight runs again, with its key, and once").toBeLessThanOrEqual(4)
  expect(new Set(again).size).toBe(again.length)
  for (const line of again) expect(ranBefore.slice(-8)).toContain(line)
  const [end] = events.filter((event) => event._tag === "Completed" && event.callId === "o")
  const told = [
    ...Array(90).fill("step;"),
    ...denied.map(() => "ToolDenied: no"),
    ...keys.map(() => "first;second;"),
  ]
  expect(JSON.parse((end as { content: string }).content)).toEqual(told.sort())
}

/** Kills a host at a commit, runs the next one, and looks at what became of it all; false where there is no such commit. */
const killAt = async (commit: number, kill: "before" | "after", store?: string): Promise<boolean> => {
  const folder = path(`${kill}-${commit}`)
  await mkdir(folder)
  const given = { ...plan, ...(store !== undefined && { store }) }
  const host = hosts.start(folder, { ...given, killAt: commit, kill })
  if (!(await host.ended())) return false
  const [before, ranBefore] = [[...host.told], await ranIn(folder)]
  if (store !== undefined) await expireRunners(store)
  const after: Array<Told> = []
  await runHost(folder, { ...given, approves: "odd" }, (line) => after.push(line as Told))
  try {
    await expectOnce(folder, storeOf(folder, given), ranBefore, before, after)
  } catch (error) {
    throw new Error(`Killed ${kill} commit ${commit}`, { cause: error })
  }
  return true
}

const killAtEach = async (kills: (commit: number) => Promise<boolean>): Promise<void> => {
  let commit = 1
  while (await kills(commit)) commit += killEvery
  expect(commit).toBeGreaterThan(100)
}

it("a program whose host is killed asks each question, keeps each answer and has each effect once", async () => {
  await killAtEach((commit) => killAt(commit, Math.floor(commit / killEvery) % 2 === 0 ? "before" : "after"))
}, 900_000)

describeWith("postgres")("a program in a Postgres store whose host is killed", () => {
  const server = usePostgres()

  it("asks each question, keeps each answer and has each effect once", async () => {
    await killAtEach(async (commit) => killAt(commit, "after", await server.database()))
  }, 900_000)
})
