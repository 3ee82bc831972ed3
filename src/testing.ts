/// <reference types="node" preserve="true" />
/** Test doubles for hosts and tools: a scripted host that answers what an executor asks, and the events that it was given. */
import type {
  ApproveOptions,
  AwaitingApprovalEvent,
  DelegateEvent,
  TerminalEvent,
  ToolCallInput,
  ToolEvent,
  ToolExecutor,
} from "./index.ts"
import { expectFunction, expectOptions, got } from "./model/got.ts"
import { isThenable } from "./model/thenable.ts"
import type { GivenOutput } from "./output/output.ts"

/** What a script says at a gate. `"ignore"` leaves the question open. */
export type GateAnswer = "approve" | "deny" | "ignore" | ApproveOptions | { readonly deny: string }

/** What a script answers to an effect: what `succeed` of its event takes, nothing, a failure, or no answer at all. */
export type EffectAnswer = GivenOutput | undefined | "ignore" | { readonly fail: string }

/** What a `ScriptedHost` answers. */
export interface Script {
  /** Default: `"approve"`. */
  readonly gate?: GateAnswer | ((event: AwaitingApprovalEvent) => GateAnswer | PromiseLike<GateAnswer>)
  /** Default: every effect succeeds with nothing. */
  readonly effect?: (event: DelegateEvent) => EffectAnswer | PromiseLike<EffectAnswer>
  /** Called for every event, before it is answered. */
  readonly onEvent?: (event: ToolEvent) => void
}

const gateAnswers: ReadonlySet<unknown> = new Set(["approve", "deny", "ignore"])

/** Throws a TypeError for what would answer in another way than was meant. */
const expectScript = (script: Script): void => {
  expectOptions("ScriptedHost", script, ["gate", "effect", "onEvent"])
  const gate: unknown = script.gate
  if (gate !== undefined && typeof gate !== "function" && Object(gate) !== gate && !gateAnswers.has(gate))
    throw new TypeError(
      `Expected \`gate\` to be approve, deny, ignore, an answer or a function, ${got(gate)}`,
    )
  expectFunction("effect", script.effect)
  expectFunction("onEvent", script.onEvent)
}

const terminalTags: ReadonlySet<string> = new Set(["Completed", "Error", "Denied", "Cancelled"])

/** Whether an event ends a call. */
export const isTerminal = (event: ToolEvent): event is TerminalEvent => terminalTags.has(event._tag)

/** Reads an executor's events, answers them by a script, and keeps them. */
export class ScriptedHost {
  readonly events: Array<ToolEvent> = []
  private readonly executor: ToolExecutor
  private readonly script: Script

  constructor(executor: ToolExecutor, script: Script = {}) {
    expectScript(script)
    this.executor = executor
    this.script = script
  }

  /** Enqueues calls and reads events until nothing is left to come; gives those events. */
  async run(calls: ReadonlyArray<ToolCallInput> = []): Promise<Array<ToolEvent>> {
    const from = this.events.length
    if (calls.length > 0) this.executor.enqueue(calls)
    for (let event = await this.executor.next(); event !== undefined; event = await this.executor.next()) {
      const answering = this.answer(event)
      if (answering !== undefined) await answering
    }
    return this.events.slice(from)
  }

  /** Reads events until one fits, answering all before it; that one is kept but left unanswered. */
  async until<E extends ToolEvent>(fits: (event: ToolEvent) => event is E): Promise<E>
  async until(fits: (event: ToolEvent) => boolean): Promise<ToolEvent>
  async until(fits: (event: ToolEvent) => boolean): Promise<ToolEvent> {
    for (let event = await this.executor.next(); event !== undefined; event = await this.executor.next()) {
      if (fits(event)) {
        this.keep(event)
        return event
      }
      const answering = this.answer(event)
      if (answering !== undefined) await answering
    }
    throw new Error("The executor has nothing left to tell, and no event fitted")
  }

  /** The tags of the events so far, of one call or of all. */
  tags(callId?: string): Array<ToolEvent["_tag"]> {
    return this.events
      .filter((event) => callId === undefined || callIdOf(event) === callId)
      .map((event) => event._tag)
  }

  /** The event that ended a call. */
  terminal(callId: string): TerminalEvent | undefined {
    return this.events.filter(isTerminal).find((event) => event.callId === callId)
  }

  private keep(event: ToolEvent): void {
    this.events.push(event)
    this.script.onEvent?.(event)
  }

  private answer(event: ToolEvent): Promise<void> | undefined {
    this.keep(event)
    const { gate = "approve", effect } = this.script
    if (event._tag === "AwaitingApproval")
      return once(typeof gate === "function" ? gate(event) : gate, (answer) => answerGate(event, answer))
    if (event._tag === "Delegate") return once(effect?.(event), (answer) => answerEffect(event, answer))
    return undefined
  }
}

/** At once, where it is no promise: the next event is read once this one is answered. */
const once = <A>(answer: A | PromiseLike<A>, give: (answer: A) => void): Promise<void> | undefined => {
  if (isThenable(answer)) return Promise.resolve(answer as PromiseLike<A>).then(give)
  give(answer)
  return undefined
}

const answerGate = (event: AwaitingApprovalEvent, answer: GateAnswer): void => {
  if (answer === "approve") event.approve()
  else if (answer === "deny") event.deny()
  else if (answer === "ignore") return
  else if (Object(answer) !== answer)
    throw new TypeError(`Expected \`gate\` to give approve, deny, ignore or an answer, ${got(answer)}`)
  else if ("deny" in answer) event.deny(answer.deny)
  else event.approve(answer)
}

const answerEffect = (event: DelegateEvent, answer: EffectAnswer): void => {
  if (answer === "ignore") return
  if (typeof answer === "object" && answer !== null && "fail" in answer) event.fail(answer.fail)
  else event.succeed(answer)
}

const callIdOf = (event: ToolEvent): string | undefined => ("callId" in event ? event.callId : undefined)
