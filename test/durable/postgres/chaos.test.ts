// @module-tag waits
/** Runners of one store are killed and frozen at random while clients answer at random: no call is lost, and each ends once. */
import { mkdir } from "node:fs/promises"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it } from "vitest"
import { type DurableClient, openDurableExecutor } from "../../../src/durable/index.ts"
import type { ToolCallInput } from "../../../src/index.ts"
import { useTempFolder } from "../../io/temp-folder.ts"
import { usePostgres } from "../../servers/postgres.ts"
import { describeWith } from "../../support/needs.ts"
import { type RunningHost, ranIn, type Told, tag, useHosts } from "../hosts.ts"

const seed = Number(process.env.CHAOS_SEED ?? 1)
const seconds = Number(process.env.CHAOS_SECONDS ?? 15)

/** Mulberry32: small, and good enough to choose by. */
const randomOf = (start: number) => {
  let state = start
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const ends = new Set(["Completed", "Error", "Denied", "Cancelled", "BackgroundCompleted"])

const answer = async (client: DurableClient, callId: string, chance: number): Promise<boolean> => {
  if (chance < 0.6) return client.approve(callId)
  if (chance < 0.75) return client.approve(callId, { params: { text: "edited" } })
  return chance < 0.9 ? client.deny(callId, "no") : client.cancel(callId)
}

describeWith("postgres")("runners that die and freeze at random", () => {
  const server = usePostgres()
  const path = useTempFolder()
  const hosts = useHosts()

  it(`lose no call, with seed ${seed}`, async () => {
    const random = randomOf(seed)
    const pick = <T>(values: ReadonlyArray<T>): T => values[Math.floor(random() * values.length)]!
    const store = await server.database()
    await mkdir(path("work"))
    const start = () => hosts.start(path("work"), { store, stays: true })
    const running: Array<RunningHost> = [start(), start()]
    for (const host of running) await host.until(tag("Opened"))
    const clients = [
      await openDurableExecutor({ store, runner: false }),
      await openDurableExecutor({ store, runner: false }),
    ]
    const ids: Array<string> = []
    const until = performance.now() + seconds * 1000
    const isOver = () => performance.now() > until
    const enqueues = async () => {
      while (!isOver()) {
        const calls = Array.from({ length: 4 }, (): ToolCallInput => {
          const callId = `c${ids.length}`
          ids.push(callId)
          const name = pick(["work", "work", "once", "ask", "stage"])
          return { callId, agentId: `a${Math.floor(random() * 6)}`, name, background: random() < 0.2 }
        })
        await pick(clients).enqueue(calls)
        await sleep(300)
      }
    }
    const answers = async (isDone: () => boolean | Promise<boolean>) => {
      while (!(await isDone())) {
        for (const { callId, agentId } of await clients[0]!.inbox()) {
          const chance = random()
          const asked = clients.map((client) => answer(client, callId, chance))
          void Promise.allSettled(asked)
          if (random() >= 0.1) continue
          const action = pick<"apply" | "discard">(["apply", "discard"])
          // It may be over only when the client is closed.
          pick(clients)
            .resolve({ action, reason: "so" }, { agentId })
            .catch(() => false)
        }
        await sleep(200)
      }
    }
    const disturbs = async () => {
      while (!isOver()) {
        await sleep(1500)
        const place = Math.floor(random() * running.length)
        const host = running[place]!
        if (random() < 0.5) {
          await host.kill("SIGKILL")
          running[place] = start()
          await running[place]!.until(tag("Opened"))
        } else {
          await host.kill("SIGSTOP")
          await sleep(4000)
          await host.kill("SIGCONT")
        }
      }
    }
    await Promise.all([enqueues(), answers(isOver), disturbs()])
    // All that is left is answered, by runners that live.
    await answers(async () => (await Promise.all(ids.map((id) => clients[0]!.result(id)))).every(Boolean))
    const events: Array<Told> = []
    await clients[0]!.enqueue([{ callId: "last", name: "missing" }])
    for await (const event of clients[0]!.events()) {
      events.push(event as unknown as Told)
      if ("callId" in event && event.callId === "last") break
    }
    const told = new Map<string, number>()
    for (const { _tag, callId } of events) {
      if (ends.has(_tag)) told.set(String(callId), (told.get(String(callId)) ?? 0) + 1)
    }
    expect(ids.filter((id) => told.get(id) !== 1)).toEqual([])
    const places = events.map(({ seq }) => Number(seq))
    expect(places).toEqual([...new Set(places)].sort((one, other) => one - other))
    const ran = await ranIn(path("work"))
    const strict = ran.filter((line) => line.includes(" strict "))
    expect(strict).toEqual([...new Set(strict)])
    // A handler whose end was stored is not run again: those of a call come in their order.
    for (const id of ids) {
      const lines = ran.filter((line) => line.startsWith(`${id} `))
      const once = lines.filter((line, index) => line !== lines[index - 1])
      expect(once).toEqual([...new Set(lines)])
    }
    for (const client of clients) await client.close()
  }, 240_000)
})
