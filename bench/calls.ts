/** What one call costs beside bare promises, in each of the ways that a call can go. */
import { type ToolCallInput, ToolExecutor } from "stepline"
import { BareExecutor, type BareInput } from "./bare.ts"
import { ContractExecutor } from "./contract.ts"
import type { Figure, SectionResult } from "./figure.ts"
import { interleave, nanosPerOperation, type Rounds } from "./measure.ts"
import { bareTools, params, registry } from "./tools.ts"

interface Scenario {
  readonly name: string
  readonly call: ToolCallInput & BareInput
  /** Calls that are enqueued at a time, and how often. */
  readonly batch: number
  readonly batches: number
  /** Default 1.5. */
  readonly mostTimes?: number
}

const scenarios: ReadonlyArray<Scenario> = [
  { name: "1 sync handler", call: { name: "plain", params }, batch: 1, batches: 4000, mostTimes: 2 },
  { name: "1 async handler", call: { name: "awaited", params }, batch: 1, batches: 4000 },
  {
    name: "3 handlers, pre-approved",
    call: { name: "gated", params, decision: "approve" },
    batch: 1,
    batches: 4000,
  },
  { name: "3 handlers, approved by the host", call: { name: "gated", params }, batch: 1, batches: 4000 },
  { name: "2,000 queued in one lane", call: { name: "awaited", params }, batch: 2000, batches: 2 },
  {
    name: "10,000 in the background, gated",
    call: { name: "gated", params, background: true },
    batch: 10_000,
    batches: 1,
  },
]

/** What both executors are to a host. */
interface Executor {
  enqueue(calls: ReadonlyArray<ToolCallInput & BareInput>): unknown
  next(): Promise<
    { readonly _tag: string; readonly callId?: string; approve?(): boolean; content?: string } | undefined
  >
}

/** A host: reads each event, approves what it is asked, and takes the results of background calls. */
const host = async (executor: Executor, calls: number, take: (callId: string) => void): Promise<void> => {
  for (let ended = 0; ended < calls; ) {
    const event = await executor.next()
    switch (event?._tag) {
      case "AwaitingApproval":
        event.approve!()
        break
      case "Completed":
        ended += 1
        break
      case "BackgroundCompleted":
        take(event.callId!)
        ended += 1
        break
      case "Started":
      case "BackgroundStarted":
        break
      default:
        throw new Error(`Did not expect ${event?._tag}: ${event?.content}`)
    }
  }
}

const runBatches = (
  { call, batch, batches }: Scenario,
  executor: Executor,
  take: (callId: string) => void,
): Promise<number> =>
  nanosPerOperation(batch * batches, async () => {
    for (let i = 0; i < batches; i++) {
      // A loop: for one call, what makes an array of a function costs as much as the call.
      const calls: Array<typeof call> = []
      for (let made = 0; made < batch; made++) calls.push({ ...call })
      executor.enqueue(calls)
      await host(executor, batch, take)
    }
  })

const roundsOf =
  (scenario: Scenario, executor: BareExecutor): (() => Promise<number>) =>
  () =>
    runBatches(scenario, executor, (callId) => executor.tasks.delete(callId))

const measureScenario = async (scenario: Scenario, rounds: Rounds): Promise<Figure> => {
  const executor = new ToolExecutor(registry, { maxTasks: 10_000 })
  const { bare, stepline } = await interleave(
    {
      bare: roundsOf(scenario, new BareExecutor(bareTools)),
      stepline: () => runBatches(scenario, executor as Executor, (callId) => executor.tasks.take(callId)),
    },
    rounds,
  )
  await executor.shutdown()
  const { name, mostTimes = 1.5 } = scenario
  return { name, unit: "ns", stepline, baseline: bare, mostTimes }
}

/** How many times as much bare promises cost that keep the same contract. */
const measureContract = async (scenario: Scenario, rounds: Rounds): Promise<number> => {
  const { bare, contract } = await interleave(
    {
      bare: roundsOf(scenario, new BareExecutor(bareTools)),
      contract: roundsOf(scenario, new ContractExecutor(bareTools)),
    },
    rounds,
  )
  return contract / bare
}

export const measureCalls = async (quick: boolean): Promise<SectionResult> => {
  const rounds = quick ? { warmUp: 5, counted: 15 } : { warmUp: 10, counted: 51 }
  const figures: Array<Figure> = []
  for (const scenario of scenarios) figures.push(await measureScenario(scenario, rounds))
  // Behind the others: two classes that share their methods make both slower.
  const kept: Array<string> = []
  for (const scenario of scenarios) kept.push(`${(await measureContract(scenario, rounds)).toFixed(2)}x`)
  const notes = [
    `Bare promises that start, check and date each call as stepline does (bench/contract.ts): ${kept.join(", ")}.`,
  ]
  return { title: "A call", baseline: "bare promises", figures, notes }
}
