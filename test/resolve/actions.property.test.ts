import fc from "fast-check"
import { expect, it } from "vitest"
import type {
  ActionResolvedEvent,
  AwaitingApprovalEvent,
  ToolEvent,
  ToolExecutorOptions,
  ToolResult,
} from "../../src/index.ts"
import { ToolExecutor } from "../../src/index.ts"
import { isTerminal } from "../../src/testing.ts"
import { turn } from "../support/deferred.ts"
import { registryOf } from "../support/executor-of.ts"
import { type Shape, Workshop } from "./workshop.ts"

const agent = fc.constantFrom("one", "two")
const index = fc.nat(7)

const shape: fc.Arbitrary<Shape> = fc.record({
  heldPreview: fc.boolean(),
  apply: fc.constantFrom("now", "held", "effect", "gated"),
  failures: fc.nat(2),
  discard: fc.constantFrom("nothing", "now", "held", "throws once"),
  twice: fc.boolean(),
})

const operation = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ op: fc.constant("stage" as const), agent, shape, background: fc.boolean() }),
  },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("push" as const), agent, shape }) },
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant("resolve" as const),
      agent,
      action: fc.constantFrom("apply" as const, "apply" as const, "discard" as const),
      inLane: fc.boolean(),
    }),
  },
  { weight: 4, arbitrary: fc.record({ op: fc.constant("release" as const), index }) },
  { weight: 2, arbitrary: fc.record({ op: fc.constant("answer" as const), index, approve: fc.boolean() }) },
  { weight: 6, arbitrary: fc.record({ op: fc.constant("turn" as const) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("abort" as const), index }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("cancel" as const), agent, soft: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("cancelCall" as const), index }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant("clear" as const), agent }) },
)

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

interface Chain {
  readonly agentId: string
  readonly id: string
  readonly shape: Shape
  readonly pushed: boolean
}

/** An executor under random operations, and what became of each action. */
class Session {
  readonly chains: Array<Chain> = []
  readonly events: Array<ToolEvent> = []
  readonly executor: ToolExecutor
  readonly workshop = new Workshop()
  private readonly gates: Array<AwaitingApprovalEvent> = []
  private readonly controllers: Array<AbortController> = []
  private readonly resolving: Array<Promise<ToolResult | string>> = []
  private readonly lane: Array<string> = []
  private readonly reading: Promise<void>

  constructor(options: ToolExecutorOptions) {
    const plan = ({ id, shape }: Record<string, unknown>) => this.workshop.plan(id as string, shape as Shape)
    this.executor = new ToolExecutor(registryOf({ edit: plan }), options)
    this.reading = this.read()
  }

  private do(operation: Exclude<Operation, { op: "turn" }>): void {
    const { executor, workshop } = this
    switch (operation.op) {
      case "stage": {
        const { agent, background, shape } = operation
        const id = `staged ${this.chains.length}`
        this.chains.push({ agentId: agent, id, shape, pushed: false })
        executor.enqueue([{ agentId: agent, callId: id, name: "edit", params: { id, shape }, background }])
        return
      }
      case "push": {
        const { agent, shape } = operation
        const id = `pushed ${this.chains.length}`
        this.chains.push({ agentId: agent, id, shape: { ...shape, twice: false }, pushed: true })
        executor.agent(agent).pendingActions.push(workshop.pushed(id, shape))
        return
      }
      case "resolve": {
        const { agent, action, inLane } = operation
        const params = { action, reason: "so" }
        if (inLane) {
          this.lane.push(...executor.enqueue([{ agentId: agent, name: "resolve", params }]))
          return
        }
        const controller = new AbortController()
        this.controllers.push(controller)
        const onEvent = (event: ToolEvent) => this.keep(event)
        const resolving = executor.agent(agent).resolve(params, { signal: controller.signal, onEvent })
        this.resolving.push(resolving.catch((error: Error) => error.name))
        return
      }
      case "release":
        workshop.release(operation.index)
        return
      case "answer": {
        const gate = this.gates.at(operation.index % Math.max(1, this.gates.length))
        if (operation.approve) gate?.approve()
        else gate?.deny()
        return
      }
      case "abort":
        this.controllers.at(operation.index % Math.max(1, this.controllers.length))?.abort()
        return
      case "cancel":
        if (operation.soft) executor.cancelForeground({ agentId: operation.agent })
        else executor.cancel({ agentId: operation.agent })
        return
      case "cancelCall":
        executor.cancelCall(this.lane.at(operation.index % Math.max(1, this.lane.length)) ?? "none")
        return
      case "clear":
        executor.agent(operation.agent).pendingActions.clear()
        return
    }
  }

  /**
   * Runs the operations, and the shutdown if it comes in their middle, without a pause, unless one is a turn of the
   * event loop or lets a promise handler go on: so none is stopped after what it did and before its promise has said so.
   */
  async run(operations: ReadonlyArray<Operation>, shutdown: boolean): Promise<void> {
    for (const operation of operations) {
      if (operation.op !== "turn") this.do(operation)
      if (operation.op === "turn" || operation.op === "release") await turn()
    }
    if (shutdown) void this.executor.shutdown()
  }

  /** Lets everything that runs or waits come to its end, and be read. */
  async settle(): Promise<void> {
    do {
      this.workshop.releaseAll()
      for (const gate of this.gates) gate.approve()
      await turn()
    } while (this.executor.inspect().length > 0)
  }

  /** Shuts down, and reads what is left to read. */
  async close(): Promise<void> {
    await this.executor.shutdown()
    await this.reading
    for (const result of await Promise.all(this.resolving)) {
      expect(typeof result === "string" ? result : "resolved").toMatch(/^(AbortError|resolved)$/)
    }
  }

  /** Each action has ended once, as what it did says, or is still pending; its cleanup ran once, at the end. */
  check(): void {
    for (const chain of this.chains) {
      const { id, shape, pushed } = chain
      const ends = [this.checkAction(chain, id), shape.twice ? this.checkAction(chain, `${id}+`) : undefined]
      const [first, second] = ends
      if (first === "applied" && shape.twice) expect(second).not.toBe("never staged")
      const last = first === "applied" && shape.twice ? second : first
      const started = this.events.some((event) => event._tag === "Started" && event.callId === id)
      const cleans = !pushed && started && last !== "pending"
      expect([id, this.workshop.tally(id).closed]).toEqual([id, cleans ? 1 : 0])
    }
    const resolved = this.events.filter((event) => event._tag === "ActionResolved")
    const completed = this.events.filter((event) => event._tag === "Completed" && event.name === "resolve")
    expect(completed).toHaveLength(resolved.filter(({ outcome }) => outcome !== "dropped").length)
  }

  private checkAction({ agentId, shape }: Chain, label: string) {
    const announced = this.events.filter((event) => event._tag === "ActionPending" && event.label === label)
    const resolved = this.events.filter(
      (event): event is ActionResolvedEvent => event._tag === "ActionResolved" && event.label === label,
    )
    const listed = this.executor
      .agent(agentId)
      .pendingActions.list()
      .filter((action) => action.label === label)
    expect([label, resolved.length + listed.length]).toEqual([label, announced.length])
    expect(announced.length).toBeLessThanOrEqual(1)
    const outcome = resolved[0]?.outcome ?? (listed.length === 1 ? "pending" : "never staged")
    const { applied, discarded } = this.workshop.tally(label)
    expect([label, applied]).toEqual([label, outcome === "applied" ? 1 : 0])
    const tellsDiscard = outcome === "discarded" && shape.discard !== "nothing"
    expect([label, discarded]).toEqual([label, tellsDiscard ? 1 : 0])
    return outcome
  }

  private async read(): Promise<void> {
    for await (const event of this.executor.events) this.keep(event)
  }

  private keep(event: ToolEvent): void {
    this.events.push(event)
    if (event._tag === "AwaitingApproval") this.gates.push(event)
  }
}

const choice = fc.constantFrom("soft" as const, "forced" as const)

it("every action is applied, discarded or dropped exactly once, or is still pending", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 40 }), choice, async (operations, resolveChoice) => {
      const session = new Session({ resolveChoice })
      await session.run(operations, false)
      await session.settle()
      session.check()
      for (const agentId of ["one", "two"]) {
        const { hasPending } = session.executor.agent(agentId).pendingActions
        expect(session.executor.agent(agentId).toolChoice() !== undefined).toBe(hasPending)
        const offered = session.executor
          .agent(agentId)
          .definitions()
          .some((tool) => tool.name === "resolve")
        expect(offered).toBe(hasPending)
      }
      await session.close()
      session.check()
      expect(session.executor.agent("one").pendingActions.hasPending).toBe(false)
      expect(session.executor.agent("two").pendingActions.hasPending).toBe(false)
    }),
    { numRuns: 300 },
  )
})

it("a shutdown in the middle of everything drops what it must, once, and each call ends once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (operations) => {
      const session = new Session({})
      await session.run(operations, true)
      await session.close()
      session.check()
      expect(session.executor.inspect()).toEqual([])
      const ends = session.events.filter(isTerminal).map((event) => event.callId)
      expect(new Set(ends).size).toBe(ends.length)
    }),
    { numRuns: 300 },
  )
})
