/** An executor under random commands, and what the host was told of it. */
import { expect } from "vitest"
import type {
  AwaitingApprovalEvent,
  CallFilter,
  CallInspection,
  DelegateEvent,
  ToolCallInput,
  ToolEvent,
  ToolResult,
} from "../../src/index.ts"
import { ToolExecutor } from "../../src/index.ts"
import { isTerminal } from "../../src/testing.ts"
import { turn } from "../support/deferred.ts"
import { registryOf, toolOf } from "../support/executor-of.ts"
import { newDurable } from "../support/new-durable.ts"
import { agents, type Command, type Enqueue } from "./random-commands.ts"
import { type Shape, World } from "./random-pipeline.ts"

/** One call as the test knows it. */
export interface Known {
  readonly input: Required<Omit<ToolCallInput, "lane" | "turn" | "by" | "priority" | "truncated" | "meta">>
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

/** Calls of a store that are `finishing` may have ended: they are shown until the store has taken what was before. */
const hasTurn = ({ background, state }: CallInspection): boolean =>
  !background && state !== "queued" && (newDurable === undefined || state !== "finishing")

export class Simulation {
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
    const registry = registryOf(Object.fromEntries(tools.map((tool) => [tool.name, tool])))
    const durable = newDurable?.(registry, { ...options, filters: denyRule })
    this.executor = durable?.executor ?? new ToolExecutor(registry, { ...options, filters: denyRule })
    this.world.onCompose = ({ agentId, callId, background }) => {
      if (background) return
      const others = this.executor.inspect().filter((call) => call.agentId === agentId && hasTurn(call))
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
    for (const call of this.executor.inspect()) {
      if (!hasTurn(call)) continue
      expect(turns.has(call.agentId)).toBe(false)
      turns.add(call.agentId)
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
      const input: Required<Omit<ToolCallInput, "lane" | "turn" | "by" | "priority" | "truncated" | "meta">> =
        {
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
