import { describe, expect, it } from "vitest"
import { transition } from "../../../src/pipeline/call/transition.ts"
import { explore } from "./explore.ts"
import { everyPipeline, farAstray, meetings, type Scenarios } from "./scenarios.ts"

/** How many states of all these keep every rule. */
const statesOf = (scenarios: Scenarios): number =>
  scenarios.reduce((sum, scenario) => sum + explore(scenario, transition).size, 0)

describe("in every state that it can come to", () => {
  const counts: Array<number> = []

  it.each(["p", "d", "g", "r", "f"])(
    "every pipeline of up to three parts that begins with %s keeps the rules",
    (first) => {
      counts.push(statesOf(everyPipeline.filter(({ calls }) => calls[0]!.shape.startsWith(first))))
    },
  )

  it("pipelines far off the ordinary way keep the rules", () => {
    counts.push(statesOf(farAstray))
  })

  for (const scenario of meetings) {
    it(`keeps the rules: ${scenario.name}`, () => {
      counts.push(statesOf([scenario]))
    })
  }

  it("a hundred thousand states were visited", () => {
    const states = counts.reduce((sum, count) => sum + count, 0)
    process.stdout.write(`exploration: ${states} distinct states\n`)
    expect(states).toBeGreaterThan(100_000)
  })
})
