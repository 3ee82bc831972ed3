/** Prints the executor's events, and reports that are not about the user's calls. */

import type { ToolEvent } from "../../model/event.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { resolveName } from "../../resolve/definition.ts"
import { capitalized } from "../../tasks/background-tasks.ts"
import type { Notifications } from "../notifications.ts"
import { answerEffect } from "./answer-effect.ts"
import { type Block, queuedBlock } from "./block.ts"
import type { BlockView } from "./block-view.ts"
import { printedBlock } from "./printed-block.ts"
import { visibleLine } from "./render-text.ts"

export interface SessionReportOptions {
  readonly executor: ToolExecutor
  readonly view: BlockView
  readonly notifications: Notifications
  say(text: string): void
}

export class SessionReport {
  /** Whether the user is leaving, and needs no advice. */
  isLeaving = false
  private readonly options: SessionReportOptions

  constructor(options: SessionReportOptions) {
    this.options = options
  }

  show(event: ToolEvent): void {
    const { executor, view, say } = this.options
    if (event._tag === "Delegate") answerEffect(event)
    // The prompt shows pending actions.
    if (event._tag === "ActionPending") return view.invalidate()
    if (event._tag === "ActionResolved") {
      const label = visibleLine(event.label)
      if (event.outcome === "dropped") say(`Not applied: ${label}`)
      for (const error of event.cleanupErrors ?? []) say(`Cleanup of ${label} failed: ${error}`)
      return view.invalidate()
    }
    if (event._tag === "BackgroundCompleted") this.meet(event.callId)
    const block = view.apply(event)
    const printed = block && printedBlock(event, block, executor.tasks)
    if (printed === undefined) return
    view.printBlock(printed, event._tag === "Completed" && event.staged !== undefined)
    if (this.isLeaving) return
    this.sayWhatIsNext(event, block!)
    this.tell()
  }

  /** Adds the block of a task of an earlier process that ended before the session started. */
  private meet(taskId: string): void {
    const { executor, view } = this.options
    const task = view.blocks.get(taskId) === undefined ? executor.tasks.get(taskId) : undefined
    if (task !== undefined) view.blocks.set(queuedBlock({ ...task, callId: taskId, background: true }))
  }

  /** Prints reports that are not about the user's calls, unless a call has the user's attention. */
  tell(): void {
    const { view, notifications, say } = this.options
    if ([...view.blocks].some(({ background }) => !background)) return
    for (const { source, text } of notifications.drain()) say(`${source}: ${text}`)
  }

  private sayWhatIsNext(event: ToolEvent, { callId, toolName, agentId, status }: Block): void {
    const { executor, notifications, say } = this.options
    if (event._tag === "BackgroundCompleted") {
      const text = `${toolName} has ended [${capitalized(event.status)}]; /take ${callId} takes its result.`
      notifications.add({ agentId, source: `task ${callId}`, text, taskId: callId })
    } else if (event._tag === "Completed" && event.staged !== undefined) {
      say("/apply makes these changes, /discard drops them.")
    } else if (toolName === resolveName && status !== "complete") {
      const action = executor.agent(agentId).pendingActions.peek()
      if (action !== undefined) say(`Still pending: ${visibleLine(action.label)}`)
    }
  }
}
