/**
 * Measures what it costs to keep calls: `npm run bench:durable -- [--quick] [--postgres URL]`. Without an address of an empty
 * database there are no figures of Postgres, and without `npm install --no-save @dbos-inc/dbos-sdk@5.3.0` none of DBOS. All sides do the same in
 * turns, in one run.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { availableParallelism, loadavg, tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { interleave } from "../measure.ts"
import { dbosSide, durableSide, memorySide, type Side } from "./sides.ts"
import { measureWaiting } from "./waiting.ts"

const { values } = parseArgs({
  options: { quick: { type: "boolean", default: false }, postgres: { type: "string" } },
})
const { quick, postgres } = values
const folder = await mkdtemp(join(tmpdir(), "stepline-bench-"))
const print = (text: string) => process.stdout.write(`${text}\n`)

/** Milliseconds a call, one after the other. */
const oneByOne = (side: Side, calls: number) => async () => {
  const start = performance.now()
  for (let call = 0; call < calls; call += 1) await side.call(1)
  return (performance.now() - start) / calls
}

/** Calls a second, so many at a time. */
const together = (side: Side, calls: number) => async () => {
  const start = performance.now()
  await side.call(calls)
  return calls / ((performance.now() - start) / 1000)
}

const measure = async (
  sides: Readonly<Record<string, Side>>,
  run: (side: Side) => () => Promise<number>,
): Promise<Record<string, number>> => {
  const runs = Object.fromEntries(Object.entries(sides).map(([name, side]) => [name, run(side)]))
  return interleave(runs, { warmUp: 1, counted: quick ? 2 : 5 })
}

const digits = (value: number) =>
  value.toLocaleString("en-US", { maximumSignificantDigits: 3, useGrouping: true })

try {
  print(
    `Node ${process.version}, ${availableParallelism()} cores, load ${loadavg()[0]!.toFixed(1)}; medians of a call of one asynchronous handler`,
  )
  const dbos = postgres === undefined ? undefined : await dbosSide(postgres)
  const sides: Record<string, Side> = {
    "in memory": memorySide(),
    "SQLite file": await durableSide(`sqlite:${join(folder, "calls.db")}`),
    ...(postgres !== undefined && { Postgres: await durableSide(postgres) }),
    ...(dbos !== undefined && { "DBOS, same Postgres": dbos }),
  }
  const latency = await measure(sides, (side) => oneByOne(side, quick ? 30 : 200))
  const atOnce = quick ? 200 : 1000
  const rate = await measure(sides, (side) => together(side, atOnce))
  const heading = `calls a second, ${atOnce.toLocaleString("en-US")} at a time`
  print(`\n${" ".repeat(24)}ms a call, one by one${heading.padStart(35)}`)
  for (const name of Object.keys(sides)) {
    print(`${name.padEnd(24)}${digits(latency[name]!).padStart(21)}${digits(rate[name]!).padStart(35)}`)
  }
  for (const side of Object.values(sides)) await side.close()
  const stores = {
    "SQLite file": `sqlite:${join(folder, "waiting.db")}`,
    ...(postgres && { Postgres: postgres }),
  }
  const waiting = quick ? 2000 : 10_000
  print(
    `\n${waiting.toLocaleString("en-US")} calls that wait at their gates, in a store that is opened again`,
  )
  for (const [name, store] of Object.entries(stores))
    print(`${name.padEnd(24)}${await measureWaiting(store, waiting)}`)
} finally {
  await rm(folder, { recursive: true, force: true })
}
// A pool of connections may live on.
process.exit(0)
