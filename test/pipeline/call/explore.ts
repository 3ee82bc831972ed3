/**
 * Visits every state that a scenario can come to. States with more deviations left come first, so that each is gone on
 * from once, with the most that it can have.
 */
import type { Input } from "../../../src/pipeline/call/input.ts"
import { type Choice, choicesOf, lateInputs } from "./choices.ts"
import { cloneCall } from "./explored-call.ts"
import { ExploredWorld, type Observer, type Scenario, type Step, type Transition } from "./explored-world.ts"
import * as checks from "./invariants.ts"

export interface Options {
  readonly observer?: Observer
}

const historyOf = (last: Step | undefined): string => {
  const labels: Array<string> = []
  for (let step = last; step !== undefined; step = step.before) labels.unshift(step.label)
  return labels.join("\n  ")
}

const probe = (world: ExploredWorld, probed: Set<string>, transition: Transition): void => {
  const commands: Array<unknown> = []
  for (const call of world.calls) {
    if (probed.has(call.key)) continue
    probed.add(call.key)
    for (const input of lateInputs(call)) {
      const { record } = cloneCall(call)
      if (!transition(record, input, { push: (command) => commands.push(command) }) && commands.length === 0)
        continue
      throw new checks.Violation(`${labelOf(input)} is late and took effect in ${call.record.state._tag}`)
    }
  }
}

const labelOf = (input: Input): string => input._tag

/** Gives how many states there are, and all of them. Throws a Violation with the way to it. */
export const explore = (
  scenario: Scenario,
  transition: Transition,
  options: Options = {},
): ReadonlyMap<string, number> => {
  const { deviations } = scenario
  const seen = new Map<string, number>()
  const probed = new Set<string>()
  const open: Array<Array<ExploredWorld>> = Array.from({ length: deviations + 1 }, () => [])
  const add = (world: ExploredWorld) => {
    const { key, budget } = world
    const before = seen.get(key)
    if (before !== undefined && before >= budget) return
    seen.set(key, budget)
    open[budget]!.push(world)
  }
  const step = (world: ExploredWorld, { label, cost, take }: Choice) => {
    const next = world.after(label, cost)
    attempt(scenario, next, () => {
      take(next)
      next.seal()
    })
    add(next)
  }
  add(ExploredWorld.of(scenario, transition, options.observer))
  for (let budget = deviations; budget >= 0; budget--) {
    for (let world = open[budget]!.pop(); world !== undefined; world = open[budget]!.pop()) {
      const present = world
      if (seen.get(world.key)! > budget) continue
      const choices = choicesOf(world)
      attempt(scenario, present, () => {
        probe(present, probed, transition)
        if (choices.every(({ optional }) => optional)) checks.rest(present)
      })
      for (const choice of choices) step(world, choice)
    }
  }
  return seen
}

const attempt = (scenario: Scenario, world: ExploredWorld, check: () => void): void => {
  try {
    check()
  } catch (error) {
    const what = error instanceof Error ? error.message : String(error)
    const kind =
      error instanceof checks.Violation ? what : `threw ${error instanceof Error ? error.stack : what}`
    throw new checks.Violation(`${scenario.name}: ${kind}\n  ${historyOf(world.steps)}`)
  }
}
