/** Watches an executor and converts its events for pages: changes of the state, and details of calls. */

import type { ToolCall } from "../../../model/call.ts"
import type { DecidedBy, Decision } from "../../../model/decision.ts"
import type {
  AwaitingApprovalEvent,
  BackgroundCompletedEvent,
  TerminalEvent,
  ToolEvent,
} from "../../../model/event.ts"
import { statusOf } from "../../../model/outcome.ts"
import { textOf } from "../../../output/output.ts"
import type { ToolExecutor } from "../../../pipeline/executor.ts"
import { resolveName } from "../../../resolve/definition.ts"
import { withoutHint } from "../../../resolve/reminder.ts"
import type { CallTrace } from "../../../tracing/tracer.ts"
import type { CallStatus, SpanKind } from "../state/page-state.ts"
import type { BookedCall, EndFacts } from "./booked-call.ts"
import { bounded, boundedName, boundedTitle } from "./bounded.ts"
import { CallBook } from "./call-book.ts"
import { Questions } from "./questions.ts"
import { actionRow, callRow, questionRow } from "./rows.ts"
import type { OnChange } from "./source.ts"

/** Converts the events of one executor. */
export class Recorder {
  readonly book: CallBook
  readonly questions: Questions
  private readonly executor: ToolExecutor
  private readonly tell: OnChange
  /** The agents of pending previews, by the ids of the previews. */
  private readonly agents = new Map<string, string>()
  private asked = 0

  constructor(executor: ToolExecutor, tell: OnChange, maxCalls: number) {
    this.executor = executor
    this.tell = tell
    this.book = new CallBook(maxCalls, (keys) => tell({ _tag: "Dropped", keys }))
    this.questions = new Questions(executor)
  }

  /** Starts to watch; returns a function that stops it. */
  start(): () => void {
    const stop = this.executor.watch({
      queued: (call) => this.queued(call),
      limited: (call, because) => this.limited(call, because),
      event: (event) => this.event(event),
      decided: (decision) => this.decided(decision),
      forgotten: (id) => this.forgotten(id),
      left: (id) => this.left(id),
      tracer: { call: (call) => this.trace(call) },
    })
    return stop
  }

  /** The agent of a pending preview. */
  agentOf(actionId: string): string | undefined {
    return this.agents.get(actionId)
  }

  private titleOf(agentId: string, name: string, params: unknown): string {
    return boundedTitle(this.executor.agent(agentId).tool(name)?.title(params) ?? name)
  }

  // --- Calls

  private queued(call: ToolCall): void {
    const { agentId, callId, parentId, name, params, background, decision } = call
    const booked = this.book.add({ callId, parentId, agentId, name, params })
    const at = Date.now()
    const isHeld = decision === "requested"
    booked.status = isHeld ? "held" : "queued"
    booked.title = this.titleOf(agentId, name, params)
    const { key, title, status } = booked
    const { lane } = call
    const row = callRow({
      key,
      callId,
      parentId,
      agentId,
      lane,
      name,
      title,
      background,
      status,
      queuedAt: at,
    })
    this.tell({ _tag: "Queued", call: row })
    if (isHeld) this.ask(booked, { at, params, title, name })
  }

  private limited({ callId }: ToolCall, because: string): void {
    const booked = this.book.latest(callId)
    if (booked === undefined) return
    booked.status = "limited"
    this.tell({ _tag: "Limited", key: booked.key, limit: boundedTitle(because), at: Date.now() })
  }

  private event(event: ToolEvent): void {
    if (event._tag === "ActionPending") {
      const { actionId, agentId, sourceCallId } = event
      const key = sourceCallId === undefined ? undefined : this.book.latest(sourceCallId)?.key
      this.agents.set(actionId, agentId)
      this.tell({ _tag: "Staged", action: actionRow(event, key) })
    } else if (event._tag === "ActionResolved") {
      this.agents.delete(event.actionId)
      this.tell({ _tag: "Resolved", actionId: event.actionId })
    } else {
      const booked = this.book.of(event)
      if (booked !== undefined) this.callEvent(booked, event)
    }
  }

  private callEvent(booked: BookedCall, event: Exclude<ToolEvent, { readonly actionId: string }>): void {
    const { key } = booked
    switch (event._tag) {
      case "Started": {
        booked.status = "running"
        const hasChanged = booked.started(event.params)
        this.answered(booked)
        if (hasChanged) booked.title = this.titleOf(event.agentId, event.name, event.params)
        const { title } = booked
        return this.tell({ _tag: "Started", key, at: event.at, title })
      }
      case "AwaitingApproval":
        return this.gate(booked, event)
      case "Delta":
        booked.streamed(event.content)
        return this.tell({ _tag: "Touched", keys: [key] })
      case "BackgroundStarted":
        return this.tell({ _tag: "Backgrounded", key })
      case "BackgroundCompleted":
        return this.taskEnded(booked, event)
      case "Delegate":
      case "GateExpiring":
        return
      default:
        return this.ended(booked, event)
    }
  }

  private taskEnded(booked: BookedCall, event: BackgroundCompletedEvent): void {
    const task = this.executor.tasks.get(event.callId)
    booked.shows(withoutHint(task?.content ?? ""), task?.output?.details)
    this.end(booked, event.status, event, true)
  }

  private ended(booked: BookedCall, event: TerminalEvent): void {
    booked.shows(withoutHint(event.content), "output" in event ? event.output?.details : undefined)
    this.end(booked, statusOf(event), event, false)
    if (booked.name === resolveName) this.touchUndone(booked.agentId)
  }

  /** If the agent's last changes undid others, the details of those have changed. */
  private touchUndone(agentId: string): void {
    const undoes = this.executor.changes({ agentId }).at(-1)?.undoes ?? []
    const keys = undoes.flatMap((callId) => this.book.latest(callId)?.key ?? [])
    if (keys.length > 0) this.tell({ _tag: "Touched", keys })
  }

  private end(
    booked: BookedCall,
    status: CallStatus,
    event: EndFacts & { readonly at: number },
    kept: boolean,
  ): void {
    const { key } = booked
    this.answered(booked)
    booked.ends(status, event)
    if ("staged" in event && event.staged !== undefined) {
      this.tell({ _tag: "StagedBy", actionId: event.staged.actionId, key })
    }
    this.tell({ _tag: "Ended", key, at: event.at, status, ...(kept && { kept }), ...booked.decidedRow })
    this.book.over(booked, kept)
  }

  private forgotten(taskId: string): void {
    const key = this.book.forgetTask(taskId)
    if (key !== undefined) this.tell({ _tag: "Forgotten", key })
  }

  /** The page shows a call that was taken out as cancelled: nothing is left of it here. */
  private left(id: string): void {
    if (this.agents.delete(id)) return this.tell({ _tag: "Resolved", actionId: id })
    const booked = this.book.active(id)
    if (booked === undefined) return
    booked.shows("The host took this call out of the executor: its snapshot continues it.", undefined)
    this.end(booked, "cancelled", { at: Date.now() }, false)
  }

  // --- Questions

  private gate(booked: BookedCall, event: AwaitingApprovalEvent): void {
    const { preview, because, agentId, name, params } = event
    booked.asked()
    booked.shows(preview === undefined ? "" : textOf(preview), preview?.details)
    booked.told.because = bounded(because, 2_000)
    this.standing(booked)
    const title = this.titleOf(agentId, name, params)
    this.ask(booked, { at: event.at, params, title, name, gate: event })
  }

  private ask(
    booked: BookedCall,
    asked: {
      readonly at: number
      readonly params: unknown
      readonly name: string
      readonly title: string
      readonly gate?: AwaitingApprovalEvent
    },
  ): void {
    const { key, callId, agentId } = booked
    const { at, params, name, title, gate } = asked
    this.asked += 1
    const id = `${key}.${this.asked}`
    booked.questions = [...booked.questions, id]
    const label = gate?.label
    const expiresAt = gate && this.executor.inspectCall(callId)?.expiresAt
    const { parentId } = booked
    const given = { id, key, parentId, agentId, name, title, label, askedAt: at, expiresAt }
    const row = questionRow({ ...given, people: gate })
    this.questions.add({
      id,
      row,
      callId,
      agentId,
      name,
      params,
      callName: booked.name,
      ...(gate && { gate }),
    })
    this.tell({ _tag: "Asked", question: row })
  }

  /** Records that the call's question is answered, here or elsewhere. */
  private answered(booked: BookedCall): void {
    if (booked.questions.length === 0) return
    for (const id of booked.questions) {
      this.questions.delete(id)
      this.tell({ _tag: "Answered", id })
    }
    booked.questions = []
  }

  /** Records an approval of a gate that needs more people. */
  private voted(booked: BookedCall, by: string): void {
    for (const id of booked.questions) {
      const row = this.questions.voted(id, by)
      if (row !== undefined) this.tell({ _tag: "Asked", question: row })
    }
  }

  private decided({ callId, verdict, by, name, params }: Decision): void {
    const booked = this.book.active(callId)
    if (booked === undefined) return
    if (verdict === "vote" && by?.id !== undefined) this.voted(booked, by.id)
    if (verdict !== "approve") return
    this.answered(booked)
    // The gate of a call of `resolve` is about what another call staged.
    const title = name === booked.name ? this.titleOf(booked.agentId, name, params) : booked.title
    if (title === booked.title) return
    booked.title = title
    this.tell({ _tag: "Renamed", key: booked.key, title })
  }

  // --- Handlers and waits

  /** Reads the current part of the call; returns whether it is cleaning up. */
  private standing(booked: BookedCall): boolean {
    const details = this.executor.inspectCall(booked.callId)
    if (details === undefined) return false
    const isCleaning = details.state === "finishing"
    booked.stands(details)
    if (!isCleaning && details.part !== undefined) booked.reached = details.part
    return isCleaning
  }

  private trace({ callId }: ToolCall): CallTrace {
    const booked = this.book.active(callId)
    return {
      handler: (name) => {
        const kind = booked !== undefined && this.standing(booked) ? "finally" : "handler"
        const end = this.beginSpan(booked, kind, name)
        return {
          run: (work) => work(),
          wrap: (effect) => effect,
          end: (failure) => end(failure !== undefined),
        }
      },
      wait: (what) => {
        if (booked !== undefined) this.standing(booked)
        const end = this.beginSpan(booked, what === "approval" ? "gate" : "wait", what)
        return (decidedBy) => this.waited(booked, decidedBy, end)
      },
      end: () => {},
    }
  }

  private waited(
    booked: BookedCall | undefined,
    by: DecidedBy | undefined,
    end: (failed: boolean) => void,
  ): void {
    if (booked !== undefined) {
      this.answered(booked)
      if (by !== undefined) {
        booked.decided(by)
        const { key, decidedRow } = booked
        if (decidedRow.by !== undefined) this.tell({ _tag: "Decided", key, by: decidedRow.by })
      }
    }
    end(false)
  }

  private beginSpan(booked: BookedCall | undefined, kind: SpanKind, name: string): (failed: boolean) => void {
    const index = booked?.beginSpan()
    if (booked === undefined || index === undefined) return () => {}
    const { key } = booked
    this.tell({ _tag: "SpanBegan", key, index, kind, name: boundedName(name), at: Date.now() })
    return (failed) => {
      booked.left(kind, failed)
      this.tell({ _tag: "SpanEnded", key, index, at: Date.now(), ...(failed && { failed }) })
    }
  }
}
