/**
 * A call as it was enqueued. What carries it out is made at its turn, or when somebody asks for it before: so a call that
 * waits in a long queue takes little room.
 */
import type { ToolCall } from "../model/call.ts"
import type { CancellingParty } from "../model/decision.ts"
import type { Tool } from "../model/tool.ts"
import type { LaneCall } from "../schedule/lanes.ts"
import { CallActor } from "./actor.ts"
import type { Engine } from "./engine.ts"
import type { Origin } from "./origin.ts"
import { type CallRecord, makeRecord } from "./state.ts"
import type { Recipient, Submission } from "./submission.ts"

/** One call of an executor, from its enqueueing to its end. */
export class EnqueuedCall implements Submission, LaneCall {
  readonly call: ToolCall
  readonly tool: Tool<unknown> | undefined
  readonly to: Recipient
  readonly origin: Origin
  /** Whether it is among the executor's calls: those that are refused at once never are. */
  isActive = false
  hasTurn = false
  private readonly engine: Engine
  private made: CallActor | undefined

  /** `record`: of a call that is restored. */
  constructor(
    engine: Engine,
    call: ToolCall,
    tool: Tool<unknown> | undefined,
    to: Recipient,
    origin: Origin,
    record?: CallRecord,
  ) {
    this.call = call
    this.tool = tool
    this.to = to
    this.origin = origin
    this.engine = engine
    this.made = record === undefined ? undefined : new CallActor(engine, this, record)
  }

  /** What carries it out. */
  get actor(): CallActor {
    this.made ??= new CallActor(this.engine, this)
    return this.made
  }

  /** To look at: a call that nobody has asked for yet stays as small as it is. */
  look(): CallRecord {
    return this.made === undefined ? makeRecord(this.call) : this.made.record
  }

  get lane(): string {
    return this.call.lane ?? this.call.agentId
  }

  get shares(): boolean {
    return this.engine.settings.parallelReads && this.tool?.annotations.readOnly === true
  }

  get isOver(): boolean {
    return !this.isActive
  }

  /** It has ended. What carried it out must not outlive it: an object that waited long is collected late. */
  over(): void {
    this.isActive = false
    this.made = undefined
  }

  /** It goes on in another process. Resolves when what ran here has ended. */
  leave(error: Error): Promise<void> {
    const { made } = this
    this.over()
    this.to.onLeft?.(error)
    return made?.abandon() ?? Promise.resolve()
  }

  /** True if it took effect. */
  cancel(reason?: string, by?: CancellingParty): boolean {
    return this.isActive && this.actor.cancel(reason, by)
  }

  start(inContext: boolean): boolean {
    return this.isActive && this.actor.start(inContext)
  }
}
