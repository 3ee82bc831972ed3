/// <reference types="node" preserve="true" />
/** Test doubles for hosts and tools: a scripted host that answers what an executor asks, and the events it was told. */
import type {
  ApproveOptions,
  AwaitingApprovalEvent,
  DelegateEvent,
  TerminalEvent,
  ToolCallInput,
  ToolEvent,
  ToolExecutor,
  ToolOutput,
} from "./index.ts"

/** What a script says at a gate. `"ignore"` leaves the question open. */
export type GateAnswer = "approve" | "deny" | "ignore" | ApproveOptions | { readonly deny: string }

/** What a script answers to an effect: an output, nothing, a failure, or no answer at all. */
export type EffectAnswer = string | ToolOutput | undefined | "ignore" | { readonly fail: string }

/** What a `ScriptedHost` answers. */
export interface Script {
  /** Default: `"approve"`. */
  readonly gate?: GateAnswer | ((event: AwaitingApprovalEvent) => GateAnswer)
  /** Default: every effect succeeds with nothing. */
  readonly effect?: (event: DelegateEvent) => EffectAnswer
  /** Told every event, before it is answered. */
  readonly onEvent?: (event: ToolEvent) => void
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
    this.executor = executor
    this.script = script
  }

  /** Enqueues calls and reads events until nothing is left to come; gives those events. */
  async run(calls: ReadonlyArray<ToolCallInput> = []): Promise<Array<ToolEvent>> {
    const from = this.events.length
    if (calls.length > 0) this.executor.enqueue(calls)
    for (let event = await this.executor.next(); event !== undefined; event = await this.executor.next()) {
      this.answer(event)
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
      this.answer(event)
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

  private answer(event: ToolEvent): void {
    this.keep(event)
    if (event._tag === "AwaitingApproval") this.answerGate(event)
    if (event._tag === "Delegate") this.answerEffect(event)
  }

  private answerGate(event: AwaitingApprovalEvent): void {
    const { gate = "approve" } = this.script
    const answer = typeof gate === "function" ? gate(event) : gate
    if (answer === "approve") event.approve()
    else if (answer === "deny") event.deny()
    else if (answer === "ignore") return
    else if ("deny" in answer) event.deny(answer.deny)
    else event.approve(answer)
  }

  private answerEffect(event: DelegateEvent): void {
    const answer = this.script.effect?.(event)
    if (answer === "ignore") return
    if (typeof answer === "object" && "fail" in answer) event.fail(answer.fail)
    else event.succeed(answer)
  }
}

const callIdOf = (event: ToolEvent): string | undefined => ("callId" in event ? event.callId : undefined)
