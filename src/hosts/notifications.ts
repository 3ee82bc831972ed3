/**
 * News for an agent about work outside of its turns: background tasks, agents that it started. Bounded: dropped items can
 * still be listed.
 */

import type { ToolEvent } from "../model/event.ts"
import { toCount } from "../model/got.ts"
import { type BackgroundTasks, capitalized } from "../tasks/background-tasks.ts"
import { headOf } from "../text/truncation.ts"
import type { SubAgent } from "./sub-agents/sub-agent.ts"

/** A message for an agent's next turn. */
export interface Notification {
  /** The agent to tell. Default `"main"`. */
  readonly agentId?: string
  /** The origin of the news, in a few words. */
  readonly source: string
  readonly text: string
  /** The background task that the news is about, if any. */
  readonly taskId?: string
}

interface KnownTasks extends Pick<BackgroundTasks, "get"> {
  /** Whether an agent has a tool. Default: true. */
  readonly mayCall?: (agentId: string, toolName: string) => boolean
}

/** The options of `Notifications`. */
export interface NotificationsOptions {
  /**
   * The executor's tasks. With them, tasks whose result was taken meanwhile are not reported, and an agent without a tool to
   * take a result receives the result itself.
   */
  readonly tasks?: KnownTasks
  /** How many notifications wait, for all agents; the oldest are dropped. Default 100. */
  readonly max?: number
}

/** The longest text of a notification, in bytes of UTF-8. */
const maxTextBytes = 2_000

const references: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\r": "&#13;",
  "\t": "&#9;",
}

const escapeText = (text: string): string => text.replace(/[&<>]/g, (char) => references[char]!)

const escapeAttribute = (text: string): string => text.replace(/[&<>"\n\r\t]/g, (char) => references[char]!)

const bounded = (text: string): string => {
  const total = Buffer.byteLength(text)
  if (total <= maxTextBytes) return text
  const head = headOf(text, maxTextBytes)
  return `${head} [${total - Buffer.byteLength(head)} bytes truncated]`
}

const rendered = ({ source, text }: Notification): string =>
  `<notification source="${escapeAttribute(source)}">${escapeText(text)}</notification>`

/**
 * @example
 * const notifications = new Notifications({ tasks: executor.tasks })
 * const subAgents = new SubAgents(runAgent, { onEnd: (agent) => notifications.agentEnded(agent) })
 * for await (const event of executor.events) notifications.push(event)
 * // What the model is told of a call:
 * notifications.appendTo(event.content, event.agentId)
 */
export class Notifications {
  private waiting: Array<Notification> = []
  private readonly max: number
  private readonly tasks: KnownTasks | undefined

  /** Throws a TypeError if `max` is not a positive integer. */
  constructor({ max, tasks }: NotificationsOptions = {}) {
    this.max = toCount("max", max, 100)
    this.tasks = tasks
  }

  get size(): number {
    return this.waiting.length
  }

  add({ agentId = "main", source, text, ...about }: Notification): void {
    this.waiting.push({ agentId, source: bounded(source), text: bounded(text), ...about })
    if (this.waiting.length > this.max) this.waiting.shift()
  }

  /** Adds a notification for each background task that has ended; push every event. */
  push(event: ToolEvent): void {
    if (event._tag !== "BackgroundCompleted") return
    const { agentId, callId, name, status } = event
    const taking = ["get_background_task", "wait_background_task"].find((tool) => this.mayCall(agentId, tool))
    const ended = `${name} has ended [${capitalized(status)}]`
    const result = this.tasks?.get(callId)?.content
    const told = result ? `${ended}:\n${result}` : `${ended}.`
    const text = taking === undefined ? told : `${ended}. Take its result with ${taking}.`
    this.add({ agentId, source: `task ${callId}`, text, taskId: callId })
  }

  /** Adds a notification for the parent of an agent that has ended. */
  agentEnded({ parentId, label, status }: Pick<SubAgent, "parentId" | "label" | "status">): void {
    const ended = `The agent has ended [${capitalized(status)}].`
    const text = this.mayCall(parentId, "get_agent")
      ? `${ended} Take its last message with get_agent.`
      : ended
    this.add({ agentId: parentId, source: `agent ${label}`, text })
  }

  /** Takes the notifications of an agent, or of all. For hosts that show them to people. */
  drain(agentId?: string): Array<Notification> {
    const isTaken = (notification: Notification) => agentId === undefined || notification.agentId === agentId
    const taken = this.waiting.filter(isTaken)
    if (taken.length > 0) this.waiting = this.waiting.filter((notification) => !isTaken(notification))
    return taken.filter(({ taskId }) => taskId === undefined || this.isKept(taskId))
  }

  /** Takes the notifications of an agent as text for its model: one element per line; empty if there are none. */
  take(agentId = "main"): string {
    return this.drain(agentId).map(rendered).join("\n")
  }

  /** Appends the notifications of an agent to the text of a tool result. */
  appendTo(content: string, agentId = "main"): string {
    const told = this.take(agentId)
    if (told === "") return content
    return content === "" ? told : `${content}\n\n${told}`
  }

  /** Returns true if it is unknown. */
  private mayCall(agentId: string, tool: string): boolean {
    return this.tasks?.mayCall?.(agentId, tool) ?? true
  }

  private isKept(taskId: string): boolean {
    return this.tasks === undefined || this.tasks.get(taskId) !== undefined
  }
}
