/** `npm run fuzz:policy -- --seed N --lines N [--rules NAME]`: the long round. Exits with 1 where anything was found. */
import { parseArgs } from "node:util"
import { fuzz } from "./fuzz.ts"
import { ruleSets } from "./rule-sets.ts"

const { values } = parseArgs({
  options: { seed: { type: "string" }, lines: { type: "string" }, rules: { type: "string" } },
})
const seed = Number(values.seed ?? Date.now() % 1_000_000)
const lines = Number(values.lines ?? 10_000)
if (!Number.isSafeInteger(seed) || !(lines > 0))
  throw new TypeError("Expected --seed and --lines to be whole numbers")

for (const rules of ruleSets.filter(({ name }) => values.rules === undefined || values.rules === name)) {
  let shown = 0
  const round = await fuzz(rules, {
    seed,
    lines,
    tell: ({ asked, approved, findings }) => {
      for (; shown < findings.length; shown += 1) console.log(JSON.stringify(findings[shown]))
      if (approved % 10_000 === 0)
        console.log(`${rules.name} seed ${seed}: ${approved} of ${asked} lines approved and run`)
    },
  })
  console.log(
    `${rules.name} seed ${seed}: ${round.asked} lines asked, ${round.approved} approved and run, ${round.ran} commands ran, ` +
      `${round.findings.length} findings`,
  )
  if (round.findings.length > 0) process.exitCode = 1
}
