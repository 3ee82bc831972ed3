/** What a call tells its host: its events, what it streamed, and the one result that the model is owed. */

import type { DeltaSource, EventSink } from "../events/event-queue.ts"
import { Transcript } from "../events/transcript.ts"
import type { ToolCall } from "../model/call.ts"
import type {
  ActionPendingEvent,
  ActionResolvedEvent,
  CompletedEvent,
  TerminalEvent,
  ToolEvent,
  ToolResult,
} from "../model/event.ts"
import { type Outcome, resultOf, statusOf, terminalEvent } from "../model/outcome.ts"
import { type ToolOutput, textOutput } from "../model/output.ts"
import type { RunningTask } from "../stores/background-tasks.ts"
import type { StagedAction } from "../stores/pending-actions.ts"
import type { Engine } from "./engine.ts"
import type { HandlerObserver } from "./interpreter-owner.ts"
import { CallSpan } from "./tracing.ts"

export class CallReport implements DeltaSource {
  readonly sink: EventSink
  lastDelta: DeltaSource["lastDelta"]
  room: DeltaSource["room"]
  /** Whether the parameters are the host's. */
  edited = false
  private readonly engine: Engine
  private readonly call: ToolCall
  private readonly onResult: ((result: ToolResult) => void) | undefined
  private started = false
  /** Whether the host was told that it runs in the background. */
  private announced = false
  private staged: CompletedEvent["staged"]
  /** Told with the end: the finally handlers belong to the action. */
  private resolved: ActionResolvedEvent | undefined
  private cleanupErrors: Array<string> | undefined
  private transcript: Transcript | undefined
  private span: CallSpan | undefined

  constructor(
    engine: Engine,
    call: ToolCall,
    sink: EventSink,
    onResult: ((result: ToolResult) => void) | undefined,
  ) {
    this.engine = engine
    this.call = call
    this.sink = sink
    this.onResult = onResult
  }

  get agentId(): string {
    return this.call.agentId
  }

  get callId(): string {
    return this.call.callId
  }

  get background(): boolean {
    return this.call.background
  }

  /** What was streamed so far. */
  get streamed(): string {
    return this.transcript === undefined ? "" : this.transcript.toString()
  }

  /** Told once, also where the call runs again with edited parameters. */
  start(): void {
    if (this.started) return
    this.started = true
    const { agentId, callId, name, params, background } = this.call
    if (this.engine.settings.trace) this.span = new CallSpan(this.engine.context, this.call)
    this.sink.push({ _tag: "Started", agentId, callId, name, params, background })
  }

  /** The call is a background task from here on; told once. */
  announce(task: RunningTask): void {
    if (this.announced) return
    this.announced = true
    // Its deltas wait for nobody any more.
    this.room?.open()
    this.engine.tasks.started(task)
    const { agentId, callId, name } = this.call
    this.sink.push({ _tag: "BackgroundStarted", agentId, callId, name })
    const content = `Running in background (task_id: ${callId})`
    this.onResult?.({ status: "complete", content, output: textOutput(content), isError: false })
  }

  delta(content: string, partial: unknown): Promise<void> | undefined {
    this.transcript ??= new Transcript()
    this.transcript.append(content)
    return this.sink.delta(this, content, partial)
  }

  stage({ actionId, label, sourceToolName, sourceCallId }: StagedAction): void {
    const { agentId, callId } = this
    this.staged = { actionId, label }
    const source = sourceCallId === callId || sourceCallId === undefined ? undefined : { sourceCallId }
    this.tellOfAction({ _tag: "ActionPending", agentId, actionId, label, sourceToolName, ...source })
  }

  resolve({ actionId, label, sourceToolName }: StagedAction, outcome: ActionResolvedEvent["outcome"]): void {
    const { agentId } = this
    this.resolved = { _tag: "ActionResolved", agentId, actionId, label, sourceToolName, outcome }
  }

  /** An action is the agent's, not the call's: where nobody is told of the call, the readers of events are. */
  private tellOfAction(event: ActionPendingEvent | ActionResolvedEvent): void {
    const sink = this.sink.answers ? this.sink : this.engine.events
    sink.push(event)
  }

  cleanupFailed(failure: string): void {
    this.cleanupErrors ??= []
    this.cleanupErrors.push(failure)
  }

  handler(name: string): HandlerObserver | undefined {
    return this.span?.handler(name)
  }

  terminal(outcome: Outcome, output: ToolOutput | undefined): TerminalEvent {
    const { call, streamed, edited, staged, cleanupErrors } = this
    return terminalEvent({ call, outcome, output, streamed, edited, staged, cleanupErrors })
  }

  /** Tells the end. `task` is the call as a background task. */
  end(event: TerminalEvent, task: RunningTask): void {
    if (this.resolved !== undefined) this.tellOfAction(this.resolved)
    this.span?.end(event._tag === "Completed" ? undefined : event.content)
    let last: ToolEvent = event
    if (this.announced) {
      this.engine.tasks.ended(task, event)
      const { agentId, callId, name } = this.call
      const staged = this.staged && { staged: this.staged }
      last = { _tag: "BackgroundCompleted", agentId, callId, name, status: statusOf(event), ...staged }
    }
    this.sink.push(last)
    if (!this.announced) this.onResult?.(resultOf(event))
  }
}
