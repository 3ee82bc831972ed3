/**
 * The baseline: what a host writes with promises alone. A call is one async function over its handlers, with an abort
 * check after each, a promise for a gate, and finally handlers that always run; a lane is a chain of promises.
 * Events have stepline's shapes. It validates nothing, keeps no time and cannot stop a handler that runs.
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

interface BareCall {
  readonly agentId: string
  readonly callId: string
  readonly name: string
  readonly params: unknown
  readonly decision: "pending" | "approve"
  readonly background: boolean
  cancelled: Error | undefined
  /** Set while it waits at a gate. */
  decide: ((error?: Error) => void) | undefined
}

const textOf = ({ content }: ToolOutput): string =>
  content.map((block) => (block.type === "text" ? block.text : "")).join("\n")

export class BareExecutor {
  /** Finished background calls, until they are taken. */
  readonly tasks = new Map<string, TerminalEvent>()
  private readonly tools: BareTools
  private readonly calls = new Map<string, BareCall>()
  private readonly lanes = new Map<string, Promise<void>>()
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
    return inputs.map((input) => {
      const { name, params, agentId = "main", decision = "pending", background = false } = input
      this.count += 1
      const callId = `call_${this.count}`
      const call: BareCall = {
        agentId,
        callId,
        name,
        params,
        decision,
        background,
        cancelled: undefined,
        decide: undefined,
      }
      this.calls.set(callId, call)
      if (background) void Promise.resolve().then(() => this.perform(call))
      else this.joinLane(call)
      return callId
    })
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
    call.cancelled = new Error("Cancelled")
    call.decide?.(call.cancelled)
    return true
  }

  private joinLane(call: BareCall): void {
    const before = this.lanes.get(call.agentId) ?? Promise.resolve()
    const turn = before.then(() => this.perform(call))
    this.lanes.set(call.agentId, turn)
    void turn.then(() => {
      if (this.lanes.get(call.agentId) === turn) this.lanes.delete(call.agentId)
    })
  }

  private async perform(call: BareCall): Promise<void> {
    const { agentId, callId, name, params, background } = call
    const plan = this.tools[name]!(params)
    const context = { call, cwd: "/", output: undefined as ToolOutput | undefined }
    this.push({ _tag: "Started", agentId, callId, name, params, background })
    let announced = false
    let hasPlace = !background
    let end: TerminalEvent
    try {
      for (const part of plan.parts) {
        if (part === gate) {
          if (call.decision !== "approve") {
            if (background && hasPlace) this.leavePlace()
            hasPlace = !background
            await this.awaitApproval(call)
          }
          if (background && !announced) {
            announced = true
            this.push({ _tag: "BackgroundStarted", agentId, callId, name })
          }
        } else {
          if (!hasPlace) await this.takePlace()
          hasPlace = true
          const step = (await part(context as never)) as Step
          if (step._tag === "Error") throw new Error(step.message)
          if (step._tag === "Output") {
            const { output } = step
            context.output =
              typeof output === "string" ? { content: [{ type: "text", text: output }] } : output
          }
        }
        if (call.cancelled !== undefined) throw call.cancelled
      }
      const output = context.output ?? { content: [] }
      end = { _tag: "Completed", agentId, callId, name, content: textOf(output), output }
    } catch (cause) {
      end = { _tag: "Error", agentId, callId, name, content: String(cause), cause }
    }
    if (background && hasPlace) this.leavePlace()
    for (const cleanup of plan.finally) {
      try {
        await cleanup(context as never)
      } catch {
        // One that fails does not stop the next.
      }
    }
    this.calls.delete(callId)
    if (!announced) return this.push(end)
    this.tasks.set(callId, end)
    const status = end._tag === "Completed" ? "complete" : "error"
    this.push({ _tag: "BackgroundCompleted", agentId, callId, name, status })
  }

  private awaitApproval(call: BareCall): Promise<void> {
    const { agentId, callId, name, params, background } = call
    return new Promise((resolve, reject) => {
      call.decide = (error) => {
        call.decide = undefined
        if (error === undefined) resolve()
        else reject(error)
      }
      const decide = (error?: Error) => {
        if (call.decide === undefined) return false
        call.decide(error)
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

  private async takePlace(): Promise<void> {
    if (this.places > 0) this.places -= 1
    else await new Promise<void>((resolve) => this.waitingForPlace.push(resolve))
  }

  private leavePlace(): void {
    const next = this.waitingForPlace.shift()
    if (next === undefined) this.places += 1
    else next()
  }

  private push(event: BareEvent): void {
    const { reader } = this
    if (reader === undefined) {
      this.unread.push(event)
    } else {
      this.reader = undefined
      reader(event)
    }
  }
}
