/**
 * Emits an executor's calls to extensions as pi's events: start, updates, end, and the turns of its agents around them. Events
 * are delivered one after the other; if listeners are slower than a call, they get only its latest update.
 */

import type { ToolCall } from "../../model/call.ts"
import type { ToolEvent } from "../../model/event.ts"
import type { ToolOutput } from "../../output/output.ts"
import type { ExecutorWatcher } from "../../watching/watcher.ts"
import { currentCall } from "../current-call.ts"
import { runOutside } from "../loading/isolation.ts"
import type { ExtensionEvents } from "../session-events.ts"

type ExecutionEvent =
  | ExtensionEvents[`tool_execution_${"start" | "update" | "end"}`]
  | ExtensionEvents["turn_start" | "turn_end"]

/** The listeners. */
interface Audience {
  hears(type: string): boolean
  emit(event: ExecutionEvent): Promise<void>
}

/** The calls of an agent's turn that has not ended, as blocks of a message of pi, and their results. */
interface Turn {
  readonly turnIndex: number
  readonly calls: Array<object>
  readonly results: Array<object>
}

/** The state of a call that has not ended. */
interface Execution {
  /** As events name it. */
  readonly call: { readonly toolCallId: string; readonly toolName: string; readonly args: unknown }
  readonly turn: Turn | undefined
  isStarted: boolean
  /** The end of its output so far. */
  text: string
}

type End = Extract<
  ToolEvent,
  { _tag: "Completed" | "BackgroundCompleted" | "Error" | "Denied" | "Cancelled" }
>

const types = ["tool_execution_start", "tool_execution_update", "tool_execution_end", "turn_end"]

/** Maximum characters of a running call's output. */
const maxText = 50_000

/** What models cost is not known here, and listeners read it unasked. */
const noUsage = () => ({
  ...{ input: 0, output: 0, cacheRead: 0, cacheWrite: 0, totalTokens: 0 },
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
})

const textResult = (text: string) => ({ content: [{ type: "text", text }], details: undefined })

/** Watches an executor. */
export class Executions implements ExecutorWatcher {
  private readonly audience: Audience
  private readonly open = new Map<string, Execution>()
  private readonly waiting: Array<ExecutionEvent> = []
  private telling: Promise<void> | undefined
  /** By agent. */
  private readonly turns = new Map<string, Turn>()
  private readonly nextTurn = new Map<string, number>()
  private tellsTurns = true

  constructor(audience: Audience) {
    this.audience = audience
  }

  /**
   * Hears what the host emits itself: its events of turns replace ours, and the end of its agent is that of the last turn.
   * Resolves once listeners know what came before.
   */
  async hosts(type: unknown): Promise<void> {
    if (type === "turn_start" || type === "turn_end") this.tellsTurns = false
    if (type === "agent_start") this.nextTurn.clear()
    if (type !== "agent_end") return
    for (const agentId of [...this.turns.keys()]) this.turnEnded(agentId)
    await this.telling
  }

  turnBegan(agentId: string): void {
    if (!this.tellsTurns) return
    const turnIndex = this.nextTurn.get(agentId) ?? 0
    this.nextTurn.set(agentId, turnIndex + 1)
    this.turns.set(agentId, { turnIndex, calls: [], results: [] })
    this.tell({ type: "turn_start", turnIndex, timestamp: Date.now() })
  }

  turnEnded(agentId: string): void {
    const turn = this.turns.get(agentId)
    this.turns.delete(agentId)
    if (turn === undefined || !this.tellsTurns) return
    const { turnIndex, calls: content, results: toolResults } = turn
    const stopReason = content.length === 0 ? "stop" : "toolUse"
    const message = { role: "assistant", content, stopReason, usage: noUsage(), timestamp: Date.now() }
    this.tell({ type: "turn_end", turnIndex, message, toolResults })
  }

  queued({ callId, name, params, agentId, parentId }: ToolCall): void {
    if (!types.some((type) => this.audience.hears(type))) return
    const turn = parentId === undefined ? this.turns.get(agentId) : undefined
    turn?.calls.push({ type: "toolCall", id: callId, name, arguments: params })
    const call = { toolCallId: callId, toolName: name, args: params }
    this.open.set(callId, { call, turn, isStarted: false, text: "" })
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
    this.tell({ type: "tool_execution_start", ...execution.call })
  }

  private update(execution: Execution, { content, partial }: Extract<ToolEvent, { _tag: "Delta" }>): void {
    execution.text = (execution.text + content).slice(-maxText)
    const partialResult = partial ?? textResult(execution.text)
    this.tell({ type: "tool_execution_update", ...execution.call, partialResult })
  }

  private end(execution: Execution, event: End): void {
    // A refused call has not started here, but in pi it has.
    this.start(execution)
    const { toolCallId, toolName } = execution.call
    this.open.delete(toolCallId)
    const isError =
      event._tag === "BackgroundCompleted" ? event.status !== "complete" : event._tag !== "Completed"
    const { output, content = execution.text } = event as { output?: ToolOutput; content?: string }
    const result = {
      content: output === undefined || isError ? textResult(content).content : output.content,
      details: output?.details,
    }
    const ended = { toolCallId, toolName, ...result, isError }
    execution.turn?.results.push({ role: "toolResult", ...ended, timestamp: Date.now() })
    this.tell({ type: "tool_execution_end", toolCallId, toolName, result, isError })
  }

  private tell(event: ExecutionEvent): void {
    if (!this.audience.hears(event.type)) return
    const isOfSame = (other: ExecutionEvent) =>
      "toolCallId" in event && "toolCallId" in other && other.toolCallId === event.toolCallId
    const last = this.waiting.findLastIndex(isOfSame)
    if (event.type === "tool_execution_update" && this.waiting[last]?.type === event.type)
      this.waiting[last] = event
    else this.waiting.push(event)
    // The executor continues meanwhile, and the listeners are not part of a call.
    this.telling ??= Promise.resolve().then(() => currentCall.exit(() => runOutside(() => this.tellAll())))
  }

  private async tellAll(): Promise<void> {
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift())
      await this.audience.emit(next)
    this.telling = undefined
  }
}
