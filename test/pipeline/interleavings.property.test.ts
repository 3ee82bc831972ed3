import fc from "fast-check"
import { expect, it } from "vitest"
import type {
  AwaitingApprovalEvent,
  CallFilter,
  DelegateEvent,
  ToolCallInput,
  ToolDecision,
  ToolEvent,
  ToolResult,
} from "../../src/index.ts"
import { ToolExecutor } from "../../src/index.ts"
import { isTerminal } from "../../src/testing.ts"
import { turn } from "./deferred.ts"
import { registryOf, toolOf } from "./executor-of.ts"
import { type Shape, shapes, World } from "./random-pipeline.ts"

const agents = ["a", "b", "c"]

interface Enqueue {
  readonly agent: number
  readonly tool: number
  readonly decision: ToolDecision
  readonly background: boolean
  readonly run: boolean
}

const enqueue: fc.Arbitrary<Enqueue> = fc.record({
  agent: fc.nat(agents.length - 1),
  tool: fc.nat(9),
  decision: fc.oneof(
    { weight: 6, arbitrary: fc.constant<ToolDecision>("pending") },
    { weight: 1, arbitrary: fc.constantFrom<ToolDecision>("requested", "approve", "deny") },
  ),
  background: fc.oneof({ weight: 2, arbitrary: fc.constant(false) }, fc.constant(true)),
  run: fc.oneof({ weight: 4, arbitrary: fc.constant(false) }, fc.constant(true)),
})

const target = fc.nat(20)

const command = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("enqueue" as const),
      calls: fc.array(enqueue, { minLength: 1, maxLength: 3 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("advance" as const), target }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant("turn" as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("read" as const), count: fc.integer({ min: 1, max: 8 }) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("approve" as const), target }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("edit" as const), target, denied: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("deny" as const), target }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("answer" as const), target, yes: fc.boolean() }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("respond" as const), target, fails: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("cancelCall" as const), target }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel" as const), agent: fc.option(fc.nat(2)) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("soft" as const), agent: fc.option(fc.nat(2)) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("toBackground" as const), target }) },
)

type Command = typeof command extends fc.Arbitrary<infer T> ? T : never

const scenario = fc.record({
  shapes: fc.array(shapes, { minLength: 1, maxLength: 5 }),
  commands: fc.array(command, { minLength: 5, maxLength: 40 }),
  backgroundConcurrency: fc.integer({ min: 1, max: 3 }),
  eventBuffer: fc.integer({ min: 1, max: 5 }),
  /** Whether the executor is shut down with all still running, or comes to rest first. */
  shutsDownEarly: fc.boolean(),
})

/** One call as the test knows it. */
interface Known {
  readonly input: Required<ToolCallInput>
  readonly events: Array<ToolEvent>
  /** How often an answer took effect. */
  decided: number
  answered: number
  edited: number
  result: ToolResult | undefined
}

interface Question {
  readonly event: AwaitingApprovalEvent | DelegateEvent
  counted: boolean
}

const denyRule: CallFilter = {
  evaluate: (_, params) => ((params as { denied?: boolean }).denied === true ? "deny" : undefined),
}

class Simulation {
  readonly world = new World()
  readonly calls = new Map<string, Known>()
  /** The events of the queue, in the order of their telling. */
  readonly told: Array<ToolEvent> = []
  /** What the host was asked, answered or not. */
  readonly questions: Array<Question> = []
  /** What a handler saw that must not be: a throw inside one would be a failed handler, not a failed test. */
  readonly violations: Array<string> = []
  readonly runs: Array<Promise<void>> = []
  readonly executor: ToolExecutor
  private readonly tools: number

  constructor(
    shapes: ReadonlyArray<Shape>,
    options: { readonly backgroundConcurrency: number; readonly eventBuffer: number },
  ) {
    this.tools = shapes.length
    const tools = shapes.map((shape, i) => toolOf(`tool${i}`, (_, call) => this.world.compose(shape, call)))
    this.executor = new ToolExecutor(registryOf(Object.fromEntries(tools.map((tool) => [tool.name, tool]))), {
      ...options,
      filters: denyRule,
    })
    this.world.onCompose = ({ agentId, callId, background }) => {
      if (background) return
      const others = this.executor
        .inspect()
        .filter((call) => call.agentId === agentId && !call.background && call.state !== "queued")
      if (others.some((call) => call.callId !== callId)) this.violations.push(`${callId} has no turn`)
    }
    this.world.onCleanup = ({ callId }) => {
      const shown = this.executor.inspect().find((call) => call.callId === callId)
      if (shown?.state !== "finishing") this.violations.push(`${callId} cleans up while ${shown?.state}`)
    }
  }

  async perform(command: Command): Promise<void> {
    const { executor } = this
    switch (command.do) {
      case "enqueue":
        return this.enqueue(command.calls)
      case "advance":
        return this.world.release(command.target)
      case "turn":
        return turn()
      case "read":
        return this.read(command.count)
      case "approve": {
        const call = this.pick(command.target, "approval")
        if (call === undefined) return
        const id = call.input.callId
        if (executor.approve(id)) call.decided += 1
        return
      }
      case "edit": {
        const call = this.pick(command.target, "approval")
        if (call === undefined) return
        if (executor.approve(call.input.callId, { params: { denied: command.denied } })) {
          call.decided += 1
          call.edited += 1
        }
        return
      }
      case "deny": {
        const call = this.pick(command.target, "approval")
        if (call !== undefined && executor.deny(call.input.callId)) call.decided += 1
        return
      }
      case "answer": {
        const question = this.questions.at(command.target % Math.max(1, this.questions.length))
        if (question !== undefined) this.answer(question, command.yes)
        return
      }
      case "respond": {
        const call = this.pick(command.target, "effect")
        const answer = command.fails ? { error: "no" } : { output: "answer" }
        if (call !== undefined && executor.respond(call.input.callId, answer)) call.answered += 1
        return
      }
      case "cancelCall": {
        const call = this.pick(command.target)
        if (call !== undefined) executor.cancelCall(call.input.callId)
        return
      }
      case "cancel":
        executor.cancel(command.agent === null ? {} : { agentId: agents[command.agent]! })
        return
      case "soft":
        executor.cancelForeground(command.agent === null ? {} : { agentId: agents[command.agent]! })
        return
      case "toBackground": {
        const call = this.pick(command.target)
        if (call !== undefined) executor.toBackground(call.input.callId)
      }
    }
  }

  /** At every moment at most one foreground call of an agent has its turn. */
  checkLanes(): void {
    const turns = new Set<string>()
    for (const { agentId, background, state } of this.executor.inspect()) {
      if (background || state === "queued") continue
      expect(turns.has(agentId)).toBe(false)
      turns.add(agentId)
    }
  }

  /** Answers and releases until nothing is left to do. */
  async comeToRest(): Promise<void> {
    const { executor, world } = this
    const reading = this.readAll()
    for (let rounds = 0; executor.inspect().length > 0; rounds++) {
      if (rounds > 500) throw new Error(`Stuck: ${JSON.stringify(executor.inspect())}`)
      for (const { callId, waitingFor } of executor.inspect()) {
        const call = this.calls.get(callId)!
        if (waitingFor === "approval" && executor.approve(callId)) call.decided += 1
        else if (executor.respond(callId, {})) call.answered += 1
      }
      world.releaseAll()
      await turn()
    }
    await reading
  }

  async shutDown(): Promise<void> {
    let down = false
    const done = this.executor.shutdown().then(() => {
      down = true
    })
    const reading = this.readAll()
    for (let rounds = 0; !down; rounds++) {
      if (rounds > 500) throw new Error(`Does not shut down: ${JSON.stringify(this.executor.inspect())}`)
      for (const { callId } of this.executor.inspect()) {
        if (this.executor.respond(callId, {})) this.calls.get(callId)!.answered += 1
      }
      this.world.releaseAll()
      await turn()
    }
    await done
    await reading
    await this.readAll()
  }

  private enqueue(calls: ReadonlyArray<Enqueue>): void {
    for (const { agent, tool, decision, background, run } of calls) {
      const input: Required<ToolCallInput> = {
        agentId: agents[agent]!,
        callId: `call${this.calls.size}`,
        name: `tool${tool % this.tools}`,
        params: {},
        decision,
        background,
      }
      const known: Known = { input, events: [], decided: 0, answered: 0, edited: 0, result: undefined }
      this.calls.set(input.callId, known)
      if (!run) {
        expect(this.executor.enqueue([input])).toEqual([input.callId])
        continue
      }
      const settled = this.executor
        .run(input, (event) => this.note(event))
        .then((result) => {
          known.result = result
        })
      this.runs.push(settled)
    }
  }

  /** By the event's own functions, also where it was answered long ago: once counts, and then never again. */
  private answer(question: Question, yes: boolean): void {
    const { event, counted } = question
    const call = this.calls.get(event.callId)!
    if (event._tag === "AwaitingApproval") {
      question.counted = (yes ? event.approve() : event.deny()) || counted
      if (question.counted && !counted) call.decided += 1
      if (counted) expect([event.approve(), event.deny()]).toEqual([false, false])
    } else {
      question.counted = (yes ? event.succeed("answer") : event.fail("no")) || counted
      if (question.counted && !counted) call.answered += 1
      if (counted) expect([event.succeed(), event.fail("no")]).toEqual([false, false])
    }
  }

  private pick(index: number, waitingFor?: "approval" | "effect"): Known | undefined {
    const open = this.executor.inspect()
    // Now and then the answer is for a call that asked nothing.
    const asked = open.filter((call) =>
      waitingFor === "approval" ? call.waitingFor === "approval" : call.waitingFor !== undefined,
    )
    const from = waitingFor === undefined || asked.length === 0 ? open : asked
    return from.length === 0 ? undefined : this.calls.get(from[index % from.length]!.callId)
  }

  private async read(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const controller = new AbortController()
      const next = this.executor.next({ signal: controller.signal })
      const told = next.then(
        (event) => event,
        () => undefined,
      )
      await turn()
      controller.abort()
      const event = await told
      if (event === undefined) return
      this.told.push(event)
      this.note(event)
    }
  }

  private async readAll(): Promise<void> {
    for (let event = await this.executor.next(); event !== undefined; event = await this.executor.next()) {
      this.told.push(event)
      this.note(event)
    }
  }

  private note(event: ToolEvent): void {
    if (!("callId" in event)) throw new Error(`Unexpected event ${event._tag}`)
    this.calls.get(event.callId)!.events.push(event)
    if (event._tag === "AwaitingApproval" || event._tag === "Delegate") {
      this.questions.push({ event, counted: false })
    }
    const ended = isTerminal(event) || event._tag === "BackgroundCompleted"
    if (!ended) return
    for (const attempt of this.world.attempts) {
      if (attempt.callId === event.callId) expect(attempt.cleaned.every((times) => times === 1)).toBe(true)
    }
  }
}

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
  if (result !== undefined) expect(result.status).toBe(announced === 1 ? "complete" : status)
}

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
      const before = timers()
      const simulation = new Simulation(shapes, options)
      for (const command of commands) {
        await simulation.perform(command)
        simulation.checkLanes()
      }
      if (!shutsDownEarly) await simulation.comeToRest()
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
      expect(timers()).toBeLessThanOrEqual(before)
    }),
    { numRuns: 20_000, interruptAfterTimeLimit: 12_000 },
  )
}, 60_000)
