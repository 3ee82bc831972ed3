/** What one call costs beside the limit, in each of the ways that a call can go. */
import { type ToolCallInput, type ToolEvent, ToolExecutor } from "stepline"
import type { Measured, Section } from "./figure.ts"
import { BareExecutor } from "./limit.ts"
import { interleave, type Rounds, threadMillis } from "./measure.ts"
import { bareTools, params, registry } from "./tools.ts"

interface Scenario {
  readonly name: string
  readonly mostTimes?: number
  readonly call: Omit<ToolCallInput, "params">
  /** The calls of a round, and how many of them are enqueued at a time. */
  readonly calls: number
  readonly batch: number
  /** Default 1. */
  readonly lanes?: number
  /** Whether one executor lives through all rounds. */
  readonly lives?: boolean
  /** Whether garbage is collected in full before each round. */
  readonly collects?: boolean
}

const approved = { decision: "approve" } as const
const living = { call: { name: "async" }, calls: 30_000, batch: 1000, lives: true }

export const scenarios: ReadonlyArray<Scenario> = [
  { name: "one synchronous handler", mostTimes: 1.5, call: { name: "sync" }, calls: 20_000, batch: 1 },
  { name: "one asynchronous handler", call: { name: "async" }, calls: 15_000, batch: 1 },
  {
    name: "two handlers and a gate, pre-approved",
    call: { name: "gated", ...approved },
    calls: 10_000,
    batch: 1,
  },
  {
    name: "the same with a finally handler",
    call: { name: "closing", ...approved },
    calls: 10_000,
    batch: 1,
  },
  { name: "two handlers and a gate, approved by the host", call: { name: "gated" }, calls: 10_000, batch: 1 },
  { name: "the same in 100 lanes", call: { name: "gated" }, calls: 3000, batch: 3000, lanes: 100 },
  { name: "2,000 queued in one lane", call: { name: "async" }, calls: 2000, batch: 2000 },
  { name: "20,000 queued in one lane", call: { name: "async" }, calls: 20_000, batch: 20_000 },
  {
    name: "10,000 in the background with a gate",
    mostTimes: 3,
    call: { name: "gated", background: true },
    calls: 10_000,
    batch: 10_000,
  },
  { name: "in an executor that lives for seconds", ...living },
  { name: "right after a full collection of garbage", ...living, collects: true },
]

/** What both executors are to a host. */
interface Executor {
  enqueue(calls: ReadonlyArray<ToolCallInput>): ReadonlyArray<string>
  next(): Promise<ToolEvent | undefined>
  readonly tasks: { take(callId: string): unknown }
}

export const executors = {
  bare: (): Executor => new BareExecutor(bareTools, 100_000),
  stepline: (): Executor =>
    new ToolExecutor(registry, { maxTasks: 200_000, backgroundConcurrency: 100_000 }) as Executor,
}

/** A host: reads each event, and approves what it is asked, background calls once all of them ask. */
export const runBatch = async ({ call, batch, lanes = 1 }: Scenario, executor: Executor): Promise<void> => {
  const { name, decision = "pending", background = false } = call
  const calls: Array<ToolCallInput> = []
  // A copy of `call` would cost several times as much as the call.
  for (let made = 0; made < batch; made++)
    calls.push({ name, agentId: `a${made % lanes}`, params, decision, background })
  executor.enqueue(calls)
  const asked: Array<() => boolean> = []
  for (let ended = 0; ended < batch; ) {
    const event = await executor.next()
    switch (event?._tag) {
      case "AwaitingApproval":
        if (!event.background) event.approve()
        else if (asked.push(event.approve) === batch) for (const approve of asked) approve()
        break
      case "BackgroundCompleted":
        executor.tasks.take(event.callId)
        ended += 1
        break
      case "Completed":
        ended += 1
        break
      case "Started":
      case "BackgroundStarted":
        break
      default:
        throw new Error(`Did not expect ${JSON.stringify(event)}`)
    }
  }
}

/** Nanoseconds of the processor for each call of a round. */
const roundOf = (scenario: Scenario, make: () => Executor): (() => Promise<number>) => {
  const { calls, batch, lives, collects } = scenario
  const living = lives ? make() : undefined
  return async () => {
    const executor = living ?? make()
    globalThis.gc!({ type: collects ? "major" : "minor" })
    const start = threadMillis()
    for (let ended = 0; ended < calls; ended += batch) await runBatch(scenario, executor)
    return ((threadMillis() - start) * 1e6) / calls
  }
}

const measureScenario = async (scenario: Scenario, rounds: Rounds): Promise<Measured> => {
  const bare = roundOf(scenario, executors.bare)
  const stepline = roundOf(scenario, executors.stepline)
  const medians = await interleave({ bare, stepline }, rounds)
  return { stepline: medians.stepline, baseline: medians.bare }
}

export const calls: Section = {
  title: "A call",
  baseline: "bare promises",
  rows: scenarios.map(({ name, collects, mostTimes = 1.15 }) => ({
    name,
    unit: "ns",
    ...(!collects && { mostTimes }),
  })),
  measure: async (quick) => {
    const rounds = quick ? { warmUp: 1, counted: 3 } : { warmUp: 3, counted: 11 }
    const figures: Array<Measured> = []
    for (const scenario of scenarios) figures.push(await measureScenario(scenario, rounds))
    return figures
  },
}
