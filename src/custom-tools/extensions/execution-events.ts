/**
 * Emits an executor's calls to extensions as pi's events: start, updates, end. Events are delivered one after the other; if
 * listeners are slower than a call, they get only its latest update.
 */
import type { ToolOutput } from "../../output/output.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { ToolCall } from "../../pipeline/model/call.ts"
import type { ToolEvent } from "../../pipeline/model/event.ts"
import { currentCall } from "../current-call.ts"
import { runOutside } from "../loading/isolation.ts"
import type { ExtensionEvents } from "./extension-events.ts"

type ExecutionEvent = ExtensionEvents[`tool_execution_${"start" | "update" | "end"}`]

/** The listeners. */
interface Audience {
  hears(type: string): boolean
  emit(event: ExecutionEvent): Promise<void>
}

/** The state of a call that has not ended. */
interface Execution {
  readonly toolCallId: string
  readonly toolName: string
  readonly args: unknown
  isStarted: boolean
  /** The end of its output so far. */
  text: string
}

const types = ["tool_execution_start", "tool_execution_update", "tool_execution_end"]

/** Maximum characters of a running call's output. */
const maxText = 50_000

const textResult = (text: string) => ({ content: [{ type: "text", text }], details: undefined })

class Executions {
  private readonly audience: Audience
  private readonly open = new Map<string, Execution>()
  private readonly waiting: Array<ExecutionEvent> = []
  private isTelling = false

  constructor(audience: Audience) {
    this.audience = audience
  }

  queued({ callId, name, params }: ToolCall): void {
    if (!types.some((type) => this.audience.hears(type))) return
    this.open.set(callId, { toolCallId: callId, toolName: name, args: params, isStarted: false, text: "" })
  }

  event(event: ToolEvent): void {
    if (!("callId" in event)) return
    const execution = this.open.get(event.callId)
    // A second call with the id of a running one is refused, and does not end it.
    if (execution === undefined || (event._tag === "Error" && event.reason === "duplicate")) return
    switch (event._tag) {
      case "Started":
        return this.start(execution)
      case "Delta":
        return this.update(execution, event)
      case "Completed":
      case "BackgroundCompleted":
      case "Error":
      case "Denied":
      case "Cancelled":
        return this.end(execution, event)
    }
  }

  private start(execution: Execution): void {
    if (execution.isStarted) return
    execution.isStarted = true
    const { toolCallId, toolName, args } = execution
    this.tell({ type: "tool_execution_start", toolCallId, toolName, args })
  }

  private update(execution: Execution, { content, partial }: Extract<ToolEvent, { _tag: "Delta" }>): void {
    execution.text = (execution.text + content).slice(-maxText)
    const { toolCallId, toolName, args, text } = execution
    const partialResult = partial ?? textResult(text)
    this.tell({ type: "tool_execution_update", toolCallId, toolName, args, partialResult })
  }

  private end(
    execution: Execution,
    event: Extract<
      ToolEvent,
      { _tag: "Completed" | "BackgroundCompleted" | "Error" | "Denied" | "Cancelled" }
    >,
  ): void {
    // A refused call has not started here, but in pi it has.
    this.start(execution)
    const { toolCallId, toolName } = execution
    this.open.delete(toolCallId)
    const isError =
      event._tag === "BackgroundCompleted" ? event.status !== "complete" : event._tag !== "Completed"
    const { output, content = execution.text } = event as { output?: ToolOutput; content?: string }
    const result = {
      content: output === undefined || isError ? textResult(content).content : output.content,
      details: output?.details,
    }
    this.tell({ type: "tool_execution_end", toolCallId, toolName, result, isError })
  }

  private tell(event: ExecutionEvent): void {
    if (!this.audience.hears(event.type)) return
    const last = this.waiting.findLastIndex(({ toolCallId }) => toolCallId === event.toolCallId)
    if (event.type === "tool_execution_update" && this.waiting[last]?.type === event.type)
      this.waiting[last] = event
    else this.waiting.push(event)
    if (this.isTelling) return
    this.isTelling = true
    // The executor continues meanwhile, and the listeners are not part of a call.
    queueMicrotask(() => void currentCall.exit(() => runOutside(() => this.tellAll())))
  }

  private async tellAll(): Promise<void> {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift())
      await this.audience.emit(next)
    this.isTelling = false
  }
}

export const tellExecutions = (executor: Pick<ToolExecutor, "watch">, audience: Audience): void => {
  const executions = new Executions(audience)
  executor.watch({
    queued: (call) => executions.queued(call),
    event: (event) => executions.event(event),
  })
}
