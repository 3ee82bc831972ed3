/**
 * Calls of random tools that read and write shared files, in a few lanes of an executor with `parallelReads`, approved, denied
 * and cancelled at random: no read may see a write that was enqueued behind it, or miss one before it.
 */
import { join } from "node:path"
import { type ToolCallInput, type ToolEvent, ToolExecutor, ToolRegistry } from "../../../../src/index.ts"
import { Random } from "../../../policy/fuzz/random.ts"
import { EventOrder } from "./event-order.ts"
import { SharedFile } from "./shared-file.ts"
import { toolsOf } from "./tools.ts"

export interface ReadsRound {
  readonly seed: number
  /** How many calls are enqueued. */
  readonly calls: number
  /** An empty folder for the files. */
  readonly folder: string
  /** The tools that write say that they only read. */
  readonly lying?: boolean
  /** Told now and then how many calls are over. */
  readonly tell?: (calls: number) => void
}

export interface ReadsFound {
  readonly calls: number
  /** How many of each tool completed. */
  readonly completed: Readonly<Record<string, number>>
  /** How many reads ran at once, at most. */
  readonly together: number
  readonly faults: ReadonlyArray<string>
}

/** A lane is an agent's own, or a named one. */
const lanes: ReadonlyArray<Pick<ToolCallInput, "agentId" | "lane">> = [
  { agentId: "a" },
  { agentId: "a", lane: "other" },
  { agentId: "b" },
]
const filesOfLane = 2
/** All are over, and are checked, before the next are enqueued. */
const mostAtOnce = 2000

export const readsRound = async (round: ReadsRound): Promise<ReadsFound> => {
  const random = new Random(round.seed)
  const names = lanes.flatMap((_, lane) => Array.from({ length: filesOfLane }, (_, i) => `${lane}-${i}`))
  const files = names.map((name) => new SharedFile(join(round.folder, name)))
  await Promise.all(files.map((file) => file.create()))
  const together = { now: 0, most: 0 }
  const tools = toolsOf(files, together, round.lying === true)
  const options = { parallelReads: true, finallyTimeout: "Infinity" } as const
  const executor = new ToolExecutor(new ToolRegistry(tools), options)
  const [reads, writes] = ["read", "write"].map((what) => tools.filter(({ name }) => name.startsWith(what)))
  const completed: Record<string, number> = {}
  const order = new EventOrder()
  const faults: Array<string> = []
  let enqueued = 0

  const callOf = (): ToolCallInput => {
    const lane = random.below(lanes.length)
    const file = lane * filesOfLane + random.below(filesOfLane)
    const isWrite = random.once(5)
    const at = isWrite ? files[file]!.addWrite() : files[file]!.before
    const { name } = random.one(isWrite ? writes! : reads!)
    enqueued += 1
    return { ...lanes[lane], callId: String(enqueued), name, params: { file, at } }
  }

  const answer = (event: ToolEvent): void => {
    if (event._tag !== "AwaitingApproval") return
    const isDenied = random.once(8)
    const decide = () => (isDenied ? event.deny() : event.approve())
    if (random.once(2)) decide()
    else setImmediate(decide)
  }

  const burst = async (calls: number): Promise<void> => {
    const first = enqueued + 1
    const last = enqueued + calls
    const enqueue = () => {
      const count = Math.min(1 + random.below(60), last - enqueued)
      if (count > 0) executor.enqueue(Array.from({ length: count }, callOf))
    }
    enqueue()
    for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
      order.told(event)
      answer(event)
      if (event._tag === "Completed") completed[event.name] = (completed[event.name] ?? 0) + 1
      if (random.once(30)) executor.cancelCall(String(first + random.below(enqueued - first + 1)))
      if (random.once(20) || executor.inspect().length < 20) enqueue()
    }
    if (enqueued < last) await burst(last - enqueued)
  }

  while (enqueued < round.calls && faults.length < 20) {
    await burst(Math.min(mostAtOnce, round.calls - enqueued))
    faults.push(...files.flatMap((file) => file.faults((callId) => order.isComplete(callId))))
    if (order.open > 0) faults.push(`${order.open} calls have not ended`)
    faults.push(...order.faults.splice(0))
    order.reset()
    round.tell?.(enqueued)
  }
  await executor.shutdown()
  return { calls: enqueued, completed, together: together.most, faults }
}
