import fc from "fast-check"
import { expect, it } from "vitest"
import type { ToolEvent } from "../../src/index.ts"
import { isTerminal } from "../../src/testing.ts"
import { turn } from "../support/deferred.ts"
import { newDurable, openStores } from "../support/new-durable.ts"
import { agents, command } from "./random-commands.ts"
import { shapes } from "./random-pipeline.ts"
import { type Known, Simulation } from "./simulation.ts"

const scenario = fc.record({
  shapes: fc.array(shapes, { minLength: 1, maxLength: 5 }),
  commands: fc.array(command, { minLength: 5, maxLength: 60, size: "max" }),
  backgroundConcurrency: fc.integer({ min: 1, max: 3 }),
  eventBuffer: fc.integer({ min: 1, max: 5 }),
  /** Whether the executor is shut down with all still running, or comes to rest first. */
  shutsDownEarly: fc.boolean(),
})

const countOf = (events: ReadonlyArray<ToolEvent>, tag: ToolEvent["_tag"]) =>
  events.filter((event) => event._tag === tag).length

const checkCall = (simulation: Simulation, { input, events, decided, answered, edited, result }: Known) => {
  const { callId } = input
  const attempts = simulation.world.attempts.filter((attempt) => attempt.callId === callId)
  const tags = events.map((event) => event._tag)
  const last = events.at(-1)
  if (last === undefined) throw new Error(`${callId} was told nothing`)

  // One end, which is the last event; one result for the model.
  const announced = countOf(events, "BackgroundStarted")
  expect(events.filter(isTerminal).length + countOf(events, "BackgroundCompleted")).toBe(1)
  expect(last._tag === "BackgroundCompleted" || isTerminal(last)).toBe(true)
  expect(announced + events.filter(isTerminal).length).toBe(1)
  expect(announced).toBe(countOf(events, "BackgroundCompleted"))
  expect(countOf(events, "Started")).toBeLessThanOrEqual(1)
  if (tags.length > 1) expect(tags[0]).toBe("Started")

  // Each attempt is cleaned up once, and its parts run in order, none twice.
  for (const attempt of attempts) {
    expect(attempt.cleaned).toEqual(attempt.shape.cleanups.map(() => 1))
    expect(attempt.ran).toEqual([...new Set(attempt.ran)].sort((a, b) => a - b))
  }
  expect(attempts.length).toBeLessThanOrEqual(1 + edited)
  expect(attempts.length > 0).toBe(countOf(events, "Started") === 1)

  const status =
    last._tag === "BackgroundCompleted"
      ? last.status
      : { Completed: "complete", Error: "error", Denied: "denied", Cancelled: "cancelled" }[
          last._tag as "Completed" | "Error" | "Denied" | "Cancelled"
        ]
  if (status === "complete") {
    const { shape, ran } = attempts.at(-1)!
    expect(ran).toEqual([...shape.parts.keys()].filter((index) => shape.parts[index] !== "gate"))
    if (last._tag === "Completed") expect("editedParams" in last).toBe(edited > 0)
  }

  // An answer counts once, and only where something was asked.
  const gates = countOf(events, "AwaitingApproval")
  const held = input.decision === "requested" ? 1 : 0
  expect(decided).toBeLessThanOrEqual(gates + held)
  if (status !== "cancelled" && status !== "denied" && gates > 0) expect(decided).toBe(gates + held)
  expect(answered).toBeLessThanOrEqual(countOf(events, "Delegate"))
  if (input.decision === "approve") expect(gates).toBe(0)
  if (input.decision === "deny") expect(tags).toEqual([status === "cancelled" ? "Cancelled" : "Denied"])

  // Tasks are those that were announced, and are kept.
  const task = simulation.executor.tasks.get(callId)
  expect(task?.status).toBe(announced === 1 ? status : undefined)
  if (result !== undefined) expect(result.status).toBe(announced === 1 ? "background" : status)
}

/** A shutdown ends no call of a store, whose files have timers of their own. */
const isDurable = newDurable !== undefined

const checkOrder = ({ told, calls, world }: Simulation) => {
  for (const agent of agents) {
    const order = [...calls.values()]
      .filter(({ input }) => input.agentId === agent && !input.background)
      .map(({ input }) => input.callId)
    const composed = [...new Set(world.attempts.map((attempt) => attempt.callId))]
    expect(composed.filter((id) => order.includes(id))).toEqual(order.filter((id) => composed.includes(id)))

    // As the host is told it, none starts before the one that has its turn has left it.
    let current: string | undefined
    for (const event of told) {
      if (!("callId" in event) || !order.includes(event.callId)) continue
      if (event._tag === "Started") {
        expect(current).toBeUndefined()
        current = event.callId
      } else if (event.callId === current && (isTerminal(event) || event._tag === "BackgroundStarted")) {
        current = undefined
      }
    }
  }
}

const timers = () => process.getActiveResourcesInfo().filter((resource) => resource === "Timeout").length

it("keeps its promises in every order of calls, answers, cancels and ends", async () => {
  await fc.assert(
    fc.asyncProperty(scenario, async ({ shapes, commands, shutsDownEarly, ...options }) => {
      if (isDurable) await openStores()
      const before = timers()
      const simulation = new Simulation(shapes, options)
      for (const command of commands) {
        await simulation.perform(command)
        simulation.checkLanes()
      }
      if (isDurable || !shutsDownEarly) await simulation.comeToRest()
      await simulation.shutDown()
      await Promise.all(simulation.runs)
      simulation.world.releaseAll()
      await turn()

      for (const call of simulation.calls.values()) checkCall(simulation, call)
      checkOrder(simulation)
      expect(simulation.violations).toEqual([])
      expect(simulation.executor.inspect()).toEqual([])
      expect(await simulation.executor.next()).toBeUndefined()
      expect(simulation.world.inside).toBe(0)
      if (!isDurable) expect(timers()).toBeLessThanOrEqual(before)
    }),
    { numRuns: 20_000, interruptAfterTimeLimit: isDurable ? 4_000 : 12_000 },
  )
}, 60_000)
