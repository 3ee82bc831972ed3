import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { transition } from "../../../src/pipeline/call/transition.ts"
import { explore } from "./explore.ts"
import type { Transition } from "./explored-world.ts"
import { Violation } from "./invariants.ts"
import { mutants, transitionOf } from "./mutants.ts"
import { forMutants } from "./scenarios.ts"

/** What the exploration says of it; undefined where it finds nothing. */
const mistakeIn = (machine: Transition): string | undefined => {
  for (const scenario of forMutants) {
    try {
      explore(scenario, machine)
    } catch (error) {
      if (error instanceof Violation) return error.message
      throw error
    }
  }
  return undefined
}

it("the exploration finds no mistake in the machine as it is", () => {
  expect(mistakeIn(transition)).toBeUndefined()
})

it.each(mutants)("the exploration finds a machine that $mistake", async (mutant) => {
  const folder = mkdtempSync(join(tmpdir(), "stepline-mutant-"))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  expect(mistakeIn(await transitionOf(mutant, folder))).toMatch(/: .+\n/)
})
