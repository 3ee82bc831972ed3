/** Whether the price of a call stays flat as more of them are queued behind it. */
import { ToolExecutor } from "stepline"
import type { Figure, SectionResult } from "./figure.ts"
import { median, nanosPerOperation } from "./measure.ts"
import { params, registry } from "./tools.ts"

const drain = async (queued: number): Promise<number> => {
  const executor = new ToolExecutor(registry)
  const nanos = await nanosPerOperation(queued, async () => {
    executor.enqueue(Array.from({ length: queued }, () => ({ name: "awaited", params })))
    while ((await executor.next()) !== undefined);
  })
  await executor.shutdown()
  return nanos
}

export const measureQueue = async (quick: boolean): Promise<SectionResult> => {
  const rounds = quick ? 3 : 7
  for (let i = 0; i < 5; i++) await drain(10_000)
  const samples: Record<number, Array<number>> = { 2000: [], 20000: [], 100000: [] }
  for (let round = 0; round < rounds; round++) {
    for (const [queued, nanos] of Object.entries(samples)) nanos.push(await drain(Number(queued)))
  }
  const baseline = median(samples[2000]!)
  const figures = [20_000, 100_000].map(
    (queued): Figure => ({
      name: `${queued.toLocaleString("en-US")} queued in one lane`,
      unit: "ns",
      stepline: median(samples[queued]!),
      baseline,
      mostTimes: 1.3,
    }),
  )
  return { title: "A queued call", baseline: "2,000 queued", figures }
}
