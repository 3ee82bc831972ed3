/** What many calls that wait cost the process that opens their store. */
import { defineTool, pipeline, Step, ToolRegistry } from "stepline"
import { type DurableExecutor, openDurableExecutor } from "stepline/durable"

const tool = defineTool({
  name: "ask",
  description: "Asks.",
  parameters: { type: "object", properties: {} },
  compose: () =>
    pipeline()
      .awaitApproval()
      .andThen(() => Step.Output("done")),
})

const registry = new ToolRegistry([tool])

/** Bytes in use, once what waits to be let go is. */
const heap = async (): Promise<number> => {
  for (let turns = 0; turns < 3; turns += 1) {
    await new Promise(setImmediate)
    global.gc?.()
  }
  return process.memoryUsage().heapUsed
}

/** Reads what is told until so many calls have asked. */
const untilAsked = async ({ executor }: DurableExecutor, count: number): Promise<void> => {
  let asked = 0
  for await (const event of executor.events) {
    if (event._tag === "AwaitingApproval") asked += 1
    if (asked === count) return
  }
}

/** Leaves a store with so many calls that wait. */
const fill = async (store: string, count: number): Promise<void> => {
  const durable = await openDurableExecutor({ store, registry })
  const calls = Array.from({ length: count }, (_, index) => ({
    callId: `w${index}`,
    agentId: `w${index}`,
    name: "ask",
  }))
  await durable.enqueue(calls)
  await untilAsked(durable, count)
  await durable.close()
}

/** Gives the figures as a text. */
export const measureWaiting = async (store: string, count: number): Promise<string> => {
  await fill(store, count)
  const before = await heap()
  const start = performance.now()
  const second = await openDurableExecutor({ store, registry })
  const opened = performance.now() - start
  const answering = performance.now()
  await second.approve(`w${count - 1}`)
  while ((await second.result(`w${count - 1}`)) === undefined) await new Promise(setImmediate)
  const answered = performance.now() - answering
  // A question that nobody has read takes room besides. The one that was answered need not have been told.
  await untilAsked(second, count - 1)
  const bytes = ((await heap()) - before) / count
  const asking = performance.now()
  await second.inbox({ after: count / 2 })
  const page = performance.now() - asking
  const cpu = process.cpuUsage()
  await new Promise((resolve) => setTimeout(resolve, 5000))
  const { user, system } = process.cpuUsage(cpu)
  await second.close()
  const share = ((user + system) / 5_000_000) * 100
  return `open ${opened.toFixed(0)} ms, ${bytes.toFixed(0)} bytes a call, page of the inbox ${page.toFixed(1)} ms, answer to result ${answered.toFixed(0)} ms, idle ${share.toFixed(1)} % of a core`
}
