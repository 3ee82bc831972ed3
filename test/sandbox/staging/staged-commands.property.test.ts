// @module-tag waits
import { expect, it } from "vitest"
import { describeWith } from "../../support/needs.ts"
import { randomRun } from "./random-run.ts"

// A thousand of them take minutes: see random-run.ts.
describeWith("bwrap")("a staged command", () => {
  it.each(Array.from({ length: 25 }, (_, index) => 7000 + index))(
    "leaves what a direct run leaves, once it is applied, and nothing before (seed %i)",
    async (seed) => {
      const { before, discarded, staged, applied, direct } = await randomRun(seed)
      expect(discarded).toEqual(before)
      expect(staged).toEqual(before)
      expect(applied).toEqual(direct)
    },
  )
})
