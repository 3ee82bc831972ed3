/** What a call costs in one executor that lives for seconds, collections of garbage included, and right after a full one. */
import { ToolExecutor } from "stepline"
import { BareExecutor, type BareInput } from "./bare.ts"
import type { SectionResult } from "./figure.ts"
import { median } from "./measure.ts"
import { bareTools, params, registry } from "./tools.ts"

const batch = 1000
const windowMillis = 100

interface Executor {
  enqueue(calls: ReadonlyArray<BareInput>): unknown
  next(): Promise<{ readonly _tag: string } | undefined>
}

const runBatch = async (executor: Executor): Promise<void> => {
  executor.enqueue(Array.from({ length: batch }, () => ({ name: "awaited", params })))
  for (let ended = 0; ended < batch; ) {
    if ((await executor.next())?._tag === "Completed") ended += 1
  }
}

/** Nanoseconds a call, in windows of 100 ms. */
const windows = async (executor: Executor, count: number): Promise<Array<number>> => {
  const nanos: Array<number> = []
  for (let i = 0; i < count; i++) {
    const start = performance.now()
    let calls = 0
    for (; performance.now() - start < windowMillis; calls += batch) await runBatch(executor)
    nanos.push(((performance.now() - start) * 1e6) / calls)
  }
  return nanos
}

const measure = async (executor: Executor, count: number) => {
  const steady = median((await windows(executor, count)).slice(-10))
  globalThis.gc?.()
  const [after] = await windows(executor, 1)
  return { steady, after: after! }
}

export const measureLiving = async (quick: boolean): Promise<SectionResult> => {
  const count = quick ? 15 : 30
  const bare = await measure(new BareExecutor(bareTools), count)
  const executor = new ToolExecutor(registry)
  const stepline = await measure(executor, count)
  await executor.shutdown()
  return {
    title: "An executor that lives",
    baseline: "bare promises",
    figures: [
      { name: "a call", unit: "ns", stepline: stepline.steady, baseline: bare.steady, mostTimes: 1.5 },
      {
        name: "beside itself, in the 100 ms after a full collection",
        unit: "ns",
        stepline: stepline.after,
        baseline: stepline.steady,
        mostTimes: 1.5,
      },
    ],
  }
}
