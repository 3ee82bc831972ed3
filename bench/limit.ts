/**
 * The limit: what calls cost that promises alone drive, with the contract of stepline's. A call starts in a microtask after the
 * code that enqueued it, in its async context; its input is read, its parameters are validated, its plan is composed anew; events
 * are numbered and dated; an answer of the host arrives in a later microtask; the time of handlers is limited; a cancel ends each
 * wait; a background call holds a place unless it waits at a gate; finally handlers always run. Rules, edits, previews, traces,
 * snapshots and Effects are left out.
 */
import { AsyncResource } from "node:async_hooks"
import type { HostEffect, Step, TerminalEvent, ToolCallInput, ToolEvent, ToolOutput } from "stepline"
import {
  BareCall,
  type BareHandler,
  type BarePart,
  type BarePlan,
  type Failure,
  type Queued,
} from "./bare-call.ts"
import { Deadlines } from "./deadlines.ts"

export interface BareTool {
  validate(params: unknown): unknown
  compose(params: unknown): BarePlan
}

interface Lane {
  isBusy: boolean
  waiting: Array<Queued>
  next: number
}

const returned = Promise.resolve()
const manually = { requireManualDestroy: true }
const decisions: ReadonlySet<unknown> = new Set(["pending", "requested", "approve", "deny"])

const textOutput = (output: string | ToolOutput): ToolOutput =>
  typeof output === "string" ? { content: [{ type: "text", text: output }] } : output

const textOf = ({ content: [first] }: ToolOutput): string => (first?.type === "text" ? first.text : "")

const failed = (error: unknown): Failure => ({
  _tag: "Error",
  content: error instanceof Error ? error.message : String(error),
  cause: error,
})

export class BareExecutor {
  private readonly tools: ReadonlyMap<string, BareTool>
  private places: number
  private readonly calls = new Map<string, BareCall>()
  private readonly lanes = new Map<string, Lane>()
  /** The results of background calls that the host has not taken. */
  private readonly results = new Map<string, TerminalEvent>()
  readonly tasks = { take: (callId: string) => this.results.delete(callId) }
  private placeless: Array<() => void> = []
  /** Those from `read` to `written`. */
  private readonly unread: Array<ToolEvent | undefined> = []
  private read = 0
  private written = 0
  private readers: Array<(event: ToolEvent | undefined) => void> = []
  private ids = 0
  private told = 0
  private readonly handling = new Deadlines<BareCall>(600_000, (call) => call.stop(failed("Timed out")))
  private readonly cleaning = new Deadlines<BareCall>(5000, (call) => call.goOn())

  private readonly push = (event: ToolEvent): void => {
    const stamped = event as { seq: number; at: number }
    this.told += 1
    stamped.seq = this.told
    stamped.at = Date.now()
    const reader = this.readers.length === 0 ? undefined : this.readers.shift()
    if (reader === undefined) this.unread[this.written++] = event
    else reader(event)
  }

  constructor(tools: ReadonlyMap<string, BareTool>, backgroundConcurrency = 64) {
    this.tools = tools
    this.places = backgroundConcurrency
  }

  enqueue(inputs: ReadonlyArray<ToolCallInput>): Array<string> {
    const origin = new AsyncResource("call", manually)
    const callIds: Array<string> = []
    for (const input of inputs) {
      const queued = this.toCall(input, origin)
      callIds.push(queued.callId)
      if (queued.background || this.isNext(queued)) {
        const call = new BareCall(queued, this.push)
        const parts = this.prepare(call)
        void returned.then(() => this.perform(call, parts))
      }
    }
    return callIds
  }

  next(): Promise<ToolEvent | undefined> {
    if (this.read < this.written) {
      const event = this.unread[this.read]
      this.unread[this.read] = undefined
      this.read += 1
      if (this.read === this.written) {
        this.read = 0
        this.written = 0
      }
      return Promise.resolve(event)
    }
    if (this.calls.size === 0) return Promise.resolve(undefined)
    return new Promise((resolve) => this.readers.push(resolve))
  }

  cancelCall(callId: string): boolean {
    return this.calls.get(callId)?.stop({ _tag: "Cancelled", content: "Cancelled by user" }) ?? false
  }

  private toCall(input: ToolCallInput, origin: AsyncResource): Queued {
    const { agentId = "main", callId = `call_${++this.ids}`, name, params = {} } = input
    const { decision = "pending", background = false } = input
    if (typeof name !== "string" || typeof agentId !== "string" || typeof callId !== "string")
      throw new TypeError("Expected strings as the names of a call")
    if (!decisions.has(decision)) throw new TypeError("Expected a decision")
    const createdAt = background ? Date.now() : 0
    return { agentId, callId, name, params, decision, background, origin, createdAt }
  }

  /** Whether the call has its lane's turn. Otherwise it waits for it. */
  private isNext(call: Queued): boolean {
    const { agentId } = call
    let lane = this.lanes.get(agentId)
    if (lane === undefined) {
      lane = { isBusy: false, waiting: [], next: 0 }
      this.lanes.set(agentId, lane)
    }
    if (lane.isBusy) lane.waiting.push(call)
    const isNext = !lane.isBusy
    lane.isBusy = true
    return isNext
  }

  private leaveLane(agentId: string): void {
    const lane = this.lanes.get(agentId)!
    const next = lane.waiting[lane.next]
    if (next !== undefined) {
      lane.next += 1
      next.origin.runInAsyncScope(() => {
        const call = new BareCall(next, this.push)
        void this.perform(call, this.prepare(call))
      })
      return
    }
    lane.isBusy = false
    if (lane.next === 0) return
    lane.waiting = []
    lane.next = 0
  }

  /** Validates the parameters, composes the plan and tells the start: pure, so it may run before the caller's code has returned. */
  private prepare(call: BareCall): ReadonlyArray<BarePart> {
    const { name, params, agentId, callId, background } = call.call
    const tool = this.tools.get(name)
    this.calls.set(callId, call)
    try {
      if (tool === undefined) throw new Error(`Unknown tool: ${name}`)
      if ((tool.validate(params) as { _tag: string })._tag !== "Valid") throw new Error("Validation failed")
      const { parts } = tool.compose(params)
      this.push({ _tag: "Started", agentId, callId, name, params, background, seq: 0, at: 0 })
      return parts
    } catch (error) {
      call.stop(failed(error))
      return []
    }
  }

  private async perform(call: BareCall, parts: ReadonlyArray<BarePart>): Promise<void> {
    for (let at = 0; at < parts.length; at += 1) {
      const part = parts[at]!
      if (call.failure !== undefined && part.kind !== "finally") continue
      const place = part.kind === "gate" ? undefined : this.takePlace(call)
      if (place !== undefined) await place
      const pending = part.kind === "gate" ? this.ask(call) : this.run(call, part)
      if (pending !== undefined) await pending
    }
    this.end(call)
  }

  /** A promise only where the handler gives one, or asks the host. */
  private run(call: BareCall, part: BareHandler): Promise<void> | undefined {
    try {
      const given = part.call(call as never) as Step | Promise<Step>
      return given instanceof Promise ? this.settled(call, given, part) : this.apply(call, given, part)
    } catch (error) {
      return this.threw(call, error, part)
    }
  }

  /** Waits for the handler's promise, unless the call is stopped or the time runs out before. */
  private settled(call: BareCall, given: Promise<Step>, part: BareHandler): Promise<void> {
    const deadlines = part.kind === "finally" ? this.cleaning : this.handling
    return new Promise((resolve) => {
      call.wake = resolve
      deadlines.add(call)
      const isLate = () => {
        if (call.wake !== resolve) return true
        call.wake = undefined
        deadlines.remove(call)
        return false
      }
      given.then(
        (step) => isLate() || resolve(this.apply(call, step, part)),
        (error) => isLate() || resolve(this.threw(call, error, part)),
      )
    })
  }

  private apply(call: BareCall, step: Step, { kind }: BareHandler): Promise<void> | undefined {
    if (kind === "finally") return undefined
    if (step._tag === "Output") call.output = textOutput(step.output)
    else if (step._tag === "Delta") call.delta(step.content)
    else if (step._tag === "Error") call.stop(failed(step.message))
    else if (step._tag === "Delegate") return this.delegate(call, step.effect)
    return undefined
  }

  private threw(call: BareCall, error: unknown, { kind }: BareHandler): undefined {
    if (kind !== "finally") call.stop(failed(error))
  }

  /** Goes on in a microtask of its own after the answer. Gives whether the answer is the first. */
  private answering(
    call: BareCall,
    resolve: () => void,
  ): (failure?: Failure, output?: ToolOutput) => boolean {
    call.wake = resolve
    return (failure, output) => {
      if (call.wake !== resolve) return false
      call.wake = undefined
      if (failure !== undefined) call.stop(failure)
      else if (output !== undefined) call.output = output
      else this.passed(call)
      void returned.then(resolve)
      return true
    }
  }

  private ask(call: BareCall): Promise<void> | undefined {
    const { agentId, callId, name, params, background, decision } = call.call
    if (decision === "approve") return this.passed(call)
    this.leavePlace(call)
    return new Promise((resolve) => {
      const answer = this.answering(call, resolve)
      const approve = () => answer()
      const deny = (content = "Denied by user") => answer({ _tag: "Denied", content })
      const because = "No rule approves it"
      const told = { agentId, callId, name, params, background, because, approve, deny, seq: 0, at: 0 }
      this.push({ _tag: "AwaitingApproval", ...told })
    })
  }

  private delegate(call: BareCall, effect: HostEffect): Promise<void> {
    const { agentId, callId } = call.call
    return new Promise((resolve) => {
      const answer = this.answering(call, resolve)
      const succeed = (output: unknown) => answer(undefined, textOutput((output ?? "") as string))
      const fail = (message: string) => answer(failed(message))
      this.push({ _tag: "Delegate", agentId, callId, effect, succeed, fail, seq: 0, at: 0 })
    })
  }

  /** A gate is passed. The first announces a background call. */
  private passed(call: BareCall): undefined {
    const { agentId, callId, name, background } = call.call
    if (!background || call.announced) return
    call.announced = true
    this.push({ _tag: "BackgroundStarted", agentId, callId, name, seq: 0, at: 0 })
  }

  private takePlace(call: BareCall): Promise<void> | undefined {
    if (!call.call.background || call.hasPlace) return undefined
    call.hasPlace = true
    if (this.places === 0) return new Promise((resolve) => this.placeless.push(resolve))
    this.places -= 1
    return undefined
  }

  private leavePlace(call: BareCall): void {
    if (!call.hasPlace) return
    call.hasPlace = false
    const next = this.placeless.shift()
    if (next === undefined) this.places += 1
    else next()
  }

  private end(call: BareCall): void {
    const { agentId, callId, name, background } = call.call
    const { failure, output = { content: [] } } = call
    const content = failure === undefined ? textOf(output) : failure.content
    this.leavePlace(call)
    this.calls.delete(callId)
    const end: TerminalEvent =
      failure === undefined
        ? { _tag: "Completed", agentId, callId, name, content, output, seq: 0, at: 0 }
        : ({
            ...failure,
            agentId,
            callId,
            name,
            reason: "failed",
            by: "user",
            seq: 0,
            at: 0,
          } as TerminalEvent)
    if (call.announced) {
      const times = { createdAt: call.call.createdAt, endedAt: Date.now() }
      const status = failure === undefined ? "complete" : "error"
      this.results.set(callId, end)
      this.push({ _tag: "BackgroundCompleted", agentId, callId, name, status, ...times, seq: 0, at: 0 })
    } else this.push(end)
    if (!background) this.leaveLane(agentId)
    if (this.calls.size === 0 && this.readers.length > 0)
      for (const reader of this.readers.splice(0)) reader(undefined)
  }
}
