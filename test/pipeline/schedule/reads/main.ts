/** `npm run fuzz:reads -- --seed N --calls N`: the long round. Exits with 1 where anything was found. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { readsRound } from "./round.ts"

const { values } = parseArgs({ options: { seed: { type: "string" }, calls: { type: "string" } } })
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const calls = Number(values.calls ?? 1_000_000)
if (!Number.isSafeInteger(seed) || !(calls > 0))
  throw new TypeError("Expected --seed and --calls to be whole numbers")

const folder = await mkdtemp(join(tmpdir(), "stepline-reads-"))
try {
  const found = await readsRound({
    seed,
    calls,
    folder,
    tell: (over) => {
      if (over % 100_000 === 0) console.log(`seed ${seed}: ${over} calls`)
    },
  })
  for (const fault of found.faults) console.log(fault)
  const { faults, ...rest } = found
  console.log(`seed ${seed}: ${JSON.stringify({ ...rest, faults: faults.length })}`)
  if (faults.length > 0) process.exitCode = 1
} finally {
  await rm(folder, { recursive: true, force: true })
}
