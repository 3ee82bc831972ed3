/**
 * The baseline: the least that a host can write with promises alone for the same events. A call is one loop over its
 * handlers that waits only where a handler gives a promise, or at a gate; finally handlers always run; a lane is an array; a
 * cancel stops the wait at once. It validates nothing, keeps no time, dates nothing, and has one tool's handlers ready.
 */
import type { HandlerFunction, Step, ToolOutput } from "stepline"

export const gate = Symbol("gate")

export interface BarePlan {
  readonly parts: ReadonlyArray<HandlerFunction | typeof gate>
  readonly finally: ReadonlyArray<HandlerFunction>
}

export type BareTools = Readonly<Record<string, (params: unknown) => BarePlan>>

export interface BareInput {
  readonly name: string
  readonly params: unknown
  readonly agentId?: string
  readonly decision?: "pending" | "approve"
  readonly background?: boolean
}

interface CallEvent {
  readonly agentId: string
  readonly callId: string
}

export type BareEvent = CallEvent &
  (
    | { _tag: "Started"; name: string; params: unknown; background: boolean }
    | {
        _tag: "AwaitingApproval"
        name: string
        params: unknown
        background: boolean
        approve(): boolean
        deny(): boolean
      }
    | { _tag: "Completed"; name: string; content: string; output: ToolOutput }
    | { _tag: "Error"; name: string; content: string; cause: unknown }
    | { _tag: "BackgroundStarted"; name: string }
    | { _tag: "BackgroundCompleted"; name: string; status: "complete" | "error" }
  )

type TerminalEvent = Extract<BareEvent, { _tag: "Completed" | "Error" }>

interface Lane {
  waiting: Array<BareCall>
  next: number
  isBusy: boolean
}

const nothing: ToolOutput = { content: [] }

const textOf = ({ content }: ToolOutput): string => {
  const [first] = content
  return first?.type === "text" ? first.text : ""
}

/** One call: what handlers see of it, and what it waits for. */
export class BareCall {
  readonly agentId: string
  readonly callId: string
  readonly name: string
  readonly params: unknown
  readonly decision: "pending" | "approve"
  readonly background: boolean
  output: ToolOutput | undefined
  failure: unknown
  announced = false
  /** Goes on from a gate, or from a handler that is not waited for any more. */
  wake: ((failure: unknown) => void) | undefined

  constructor(callId: string, input: BareInput) {
    const { name, params, agentId = "main", decision = "pending", background = false } = input
    this.agentId = agentId
    this.callId = callId
    this.name = name
    this.params = params
    this.decision = decision
    this.background = background
  }

  get call(): this {
    return this
  }

  get cwd(): string {
    return "/"
  }
}

export class BareExecutor {
  /** Finished background calls, until they are taken. */
  readonly tasks = new Map<string, TerminalEvent>()
  private readonly tools: BareTools
  private readonly calls = new Map<string, BareCall>()
  private readonly lanes = new Map<string, Lane>()
  private places = 64
  private readonly waitingForPlace: Array<() => void> = []
  private unread: Array<BareEvent> = []
  private read = 0
  private reader: ((event: BareEvent) => void) | undefined
  private count = 0

  constructor(tools: BareTools) {
    this.tools = tools
  }

  enqueue(inputs: ReadonlyArray<BareInput>): Array<string> {
    const callIds: Array<string> = []
    for (const input of inputs) {
      this.count += 1
      const call = this.make(`call_${this.count}`, input)
      this.calls.set(call.callId, call)
      if (call.background) this.begin(call)
      else this.join(call)
      callIds.push(call.callId)
    }
    return callIds
  }

  next(): Promise<BareEvent> {
    const event = this.unread[this.read]
    if (event === undefined) return new Promise((resolve) => (this.reader = resolve))
    this.read += 1
    if (this.read === this.unread.length) {
      this.unread = []
      this.read = 0
    }
    return Promise.resolve(event)
  }

  cancelCall(callId: string): boolean {
    const call = this.calls.get(callId)
    if (call === undefined) return false
    call.failure ??= new Error("Cancelled")
    call.wake?.(call.failure)
    return true
  }

  protected make(callId: string, input: BareInput): BareCall {
    return new BareCall(callId, input)
  }

  protected begin(call: BareCall): void {
    void this.perform(call)
  }

  private join(call: BareCall): void {
    let lane = this.lanes.get(call.agentId)
    if (lane === undefined) {
      lane = { waiting: [], next: 0, isBusy: false }
      this.lanes.set(call.agentId, lane)
    }
    if (lane.isBusy) lane.waiting.push(call)
    else {
      lane.isBusy = true
      this.begin(call)
    }
  }

  private leave({ agentId }: BareCall): void {
    const lane = this.lanes.get(agentId)!
    const next = lane.waiting[lane.next]
    if (next === undefined) {
      lane.isBusy = false
      if (lane.next > 0) {
        lane.waiting = []
        lane.next = 0
      }
      return
    }
    lane.next += 1
    this.begin(next)
  }

  protected async perform(call: BareCall): Promise<void> {
    const { agentId, callId, name, params, background } = call
    const plan = this.tools[name]!(params)
    this.push({ _tag: "Started", agentId, callId, name, params, background })
    let hasPlace = !background
    for (const part of plan.parts) {
      if (part === gate) {
        if (call.decision !== "approve") {
          if (background && hasPlace) this.leavePlace()
          hasPlace = !background
          await this.awaitApproval(call)
        }
        if (background && !call.announced) {
          call.announced = true
          this.push({ _tag: "BackgroundStarted", agentId, callId, name })
        }
      } else {
        if (!hasPlace) {
          if (this.places > 0) this.places -= 1
          else await new Promise<void>((resolve) => this.waitingForPlace.push(resolve))
        }
        hasPlace = true
        const pending = this.handle(call, part)
        if (pending !== undefined) await pending
      }
      if (call.failure !== undefined) break
    }
    if (background && hasPlace) this.leavePlace()
    for (const cleanup of plan.finally) {
      try {
        const returned = cleanup(call as never)
        if (returned instanceof Promise) await returned
      } catch {
        // One that fails does not stop the next.
      }
    }
    this.end(call)
  }

  /** A promise only where the handler gives one. */
  private handle(call: BareCall, handler: HandlerFunction): Promise<void> | undefined {
    try {
      const returned = handler(call as never)
      if (!(returned instanceof Promise)) {
        this.apply(call, returned as Step)
        return undefined
      }
      return new Promise((resolve) => {
        call.wake = () => {
          call.wake = undefined
          resolve()
        }
        returned.then(
          (step) => {
            if (call.failure === undefined) this.apply(call, step)
            call.wake?.(undefined)
          },
          (error) => {
            call.failure ??= error
            call.wake?.(undefined)
          },
        )
      })
    } catch (error) {
      call.failure = error
      return undefined
    }
  }

  private apply(call: BareCall, step: Step): void {
    if (step._tag === "Error") call.failure = new Error(step.message)
    else if (step._tag === "Output") {
      const { output } = step
      call.output = typeof output === "string" ? { content: [{ type: "text", text: output }] } : output
    }
  }

  private end(call: BareCall): void {
    const { agentId, callId, name, failure, output = nothing } = call
    this.calls.delete(callId)
    const end: TerminalEvent =
      failure === undefined
        ? { _tag: "Completed", agentId, callId, name, content: textOf(output), output }
        : { _tag: "Error", agentId, callId, name, content: String(failure), cause: failure }
    if (call.announced) {
      this.tasks.set(callId, end)
      const status = failure === undefined ? "complete" : "error"
      this.push({ _tag: "BackgroundCompleted", agentId, callId, name, status })
    } else this.push(end)
    if (!call.background) this.leave(call)
  }

  private awaitApproval(call: BareCall): Promise<void> {
    const { agentId, callId, name, params, background } = call
    return new Promise((resolve) => {
      const wake = (failure: unknown) => {
        call.wake = undefined
        call.failure ??= failure
        resolve()
      }
      call.wake = wake
      const decide = (failure?: Error) => {
        if (call.wake !== wake) return false
        wake(failure)
        return true
      }
      this.push({
        _tag: "AwaitingApproval",
        agentId,
        callId,
        name,
        params,
        background,
        approve: () => decide(),
        deny: () => decide(new Error("Denied by user")),
      })
    })
  }

  private leavePlace(): void {
    const next = this.waitingForPlace.shift()
    if (next === undefined) this.places += 1
    else next()
  }

  protected push(event: BareEvent): void {
    const { reader } = this
    if (reader === undefined) {
      this.unread.push(event)
    } else {
      this.reader = undefined
      reader(event)
    }
  }
}
