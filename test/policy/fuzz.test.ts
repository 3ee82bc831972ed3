import { expect, it } from "vitest"
import { fuzz } from "./fuzz/fuzz.ts"
import { ruleSets } from "./fuzz/rule-sets.ts"

const lines: Readonly<Record<string, number>> = { narrow: 1500, wrapped: 200, denied: 200 }

it.each(ruleSets.map((ruleSet) => [ruleSet.name, ruleSet] as const))(
  "a real bash runs only what the rules approve, of random lines: %s",
  async (name, ruleSet) => {
    const round = await fuzz(ruleSet, { seed: 1, lines: lines[name]! })
    expect(round.findings).toEqual([])
    expect(round.approved).toBe(lines[name])
    expect(round.ran).toBeGreaterThan(round.approved / 10)
  },
  600_000,
)
