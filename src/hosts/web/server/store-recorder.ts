/**
 * Converts a store's data about calls of another process for pages: the stored events, and the open questions. Handlers,
 * streams, and the times of answers are known only in that process.
 */

import type { InboxItem } from "../../../durable/inbox.ts"
import type { StoredEvent } from "../../../durable/stored-event.ts"
import { statusOf } from "../../../model/outcome.ts"
import { textOf } from "../../../output/output.ts"
import { withoutHint } from "../../../resolve/reminder.ts"
import type { BackgroundTask } from "../../../tasks/background-tasks.ts"
import type { CallStatus, SpanKind } from "../state/page-state.ts"
import type { BookedCall } from "./booked-call.ts"
import { boundedName, boundedTitle } from "./bounded.ts"
import { CallBook } from "./call-book.ts"
import { effectParts, plainTitle } from "./plain-title.ts"
import { actionRow, callRow, questionRow } from "./rows.ts"
import type { OnChange } from "./source.ts"

type Stored<Tag extends StoredEvent["_tag"]> = Extract<StoredEvent, { readonly _tag: Tag }>
type StoredCallEvent = Exclude<StoredEvent, { readonly actionId: string }>
type StoredEnd = Stored<"Completed" | "Error" | "Denied" | "Cancelled" | "BackgroundCompleted">

/** Shown instead of a task's unknown result: no event contains it. */
const unknownResult = "Its result was taken, or is not read yet."

/** A preview that is pending. */
export interface PendingPreview {
  readonly actionId: string
  readonly agentId: string
  readonly label: string
}

/** What a call does, as far as the store knows. */
interface Standing {
  readonly kind: SpanKind
  readonly index: number | undefined
  /** The number of the inbox poll in which it began. */
  readonly look: number
}

/** The source of a call's name, parameters and agent. */
type Source = Pick<InboxItem, "callId" | "parentId" | "agentId" | "name"> & {
  readonly params?: unknown
  readonly background?: boolean
}

const idOf = ({ seq, kind, askedAt = 0 }: InboxItem): string => `${seq}.${kind}.${askedAt}`

/** Converts one store for pages. */
export class StoreRecorder {
  readonly book: CallBook
  private readonly tell: OnChange
  private readonly standing = new Map<BookedCall, Standing>()
  /** The open questions, by their ids, in their order. */
  private questions = new Map<string, { readonly item: InboxItem; readonly booked: BookedCall }>()
  private readonly pending = new Map<string, PendingPreview>()
  /** The calls that have staged something, by the id of the action. */
  private readonly stagedBy = new Map<string, number>()
  /** Ended tasks whose results were not read yet. */
  private readonly unread = new Map<string, BookedCall>()
  /** The effects that were open at the last poll of the inbox. */
  private effects: ReadonlySet<string> = new Set()
  private look = 0

  constructor(tell: OnChange, maxCalls: number) {
    this.tell = tell
    this.book = new CallBook(maxCalls, (keys) => tell({ _tag: "Dropped", keys }))
  }

  question(id: string): { readonly item: InboxItem; readonly booked: BookedCall } | undefined {
    return this.questions.get(id)
  }

  preview(actionId: string): PendingPreview | undefined {
    return this.pending.get(actionId)
  }

  /** The latest preview of an agent: the one that can be resolved. */
  latest(agentId: string): PendingPreview | undefined {
    return [...this.pending.values()].findLast((preview) => preview.agentId === agentId)
  }

  // --- Events

  event(event: StoredEvent): void {
    if (event._tag === "ActionPending") this.staged(event)
    else if (event._tag === "ActionResolved") {
      this.pending.delete(event.actionId)
      this.tell({ _tag: "Resolved", actionId: event.actionId })
    } else this.callEvent(event)
  }

  /** Each process that opens the store emits this again. */
  private staged(event: Stored<"ActionPending">): void {
    const { actionId, agentId, label, sourceCallId } = event
    if (this.pending.has(actionId)) return
    this.pending.set(actionId, { actionId, agentId, label })
    const source = sourceCallId === undefined ? undefined : this.book.latest(sourceCallId)?.key
    const key = source ?? this.stagedBy.get(actionId)
    this.tell({ _tag: "Staged", action: actionRow(event, key) })
  }

  private callEvent(event: StoredCallEvent): void {
    switch (event._tag) {
      case "Started":
        return this.started(event)
      case "AwaitingApproval": {
        const booked = this.known(event, event.at)
        this.shows(booked, event)
        if (this.standing.get(booked)?.kind !== "gate") this.stands(booked, "gate", "approval", event.at)
        return
      }
      case "Delta": {
        const booked = this.book.active(event.callId)
        booked?.streamed(event.content)
        return booked && this.tell({ _tag: "Touched", keys: [booked.key] })
      }
      case "BackgroundStarted":
        return this.tell({ _tag: "Backgrounded", key: this.known(event, event.at).key })
      case "Delegate":
      case "GateExpiring":
        return
      default:
        return this.ended(event)
    }
  }

  private started(event: Stored<"Started">): void {
    const booked = this.known(event, event.at)
    booked.status = "running"
    booked.started(event.params)
    const title = plainTitle(event)
    this.tell({ _tag: "Started", key: booked.key, at: event.at, title })
    if (!this.standing.has(booked)) this.stands(booked, "handler", event.name, event.at)
  }

  private ended(event: StoredEnd): void {
    const isRefused = event._tag === "Error" && event.reason === "duplicate"
    // The call with this id continues.
    if (isRefused && this.book.active(event.callId) !== undefined) this.add(event, event.at)
    const booked = this.book.of(event) ?? this.add(event, event.at)
    const { key } = booked
    if (event._tag === "BackgroundCompleted") {
      booked.hides(unknownResult)
      this.unread.set(event.callId, booked)
    } else booked.shows(withoutHint(event.content), "output" in event ? event.output?.details : undefined)
    const status: CallStatus = event._tag === "BackgroundCompleted" ? event.status : statusOf(event)
    booked.ends(status, event)
    if ("editedParams" in event)
      this.tell({ _tag: "Renamed", key, title: plainTitle({ name: event.name, params: event.editedParams }) })
    if ("staged" in event && event.staged !== undefined) {
      const { actionId } = event.staged
      this.stagedBy.set(actionId, key)
      this.tell({ _tag: "StagedBy", actionId, key })
    }
    this.standing.delete(booked)
    this.tell({ _tag: "Ended", key, at: event.at, status, ...booked.decidedRow })
    this.book.over(booked, false)
  }

  /** The call of an event; a call whose beginning is no longer stored begins with this event. */
  private known(source: Source, at: number): BookedCall {
    return this.book.active(source.callId) ?? this.add(source, at)
  }

  private add(source: Source, at: number): BookedCall {
    const { callId, parentId, agentId, name, params, background = false } = source
    const booked = this.book.add({ callId, parentId, agentId, name, params })
    const { key } = booked
    const title = plainTitle(source)
    const row = callRow({
      key,
      callId,
      parentId,
      agentId,
      name,
      title,
      background,
      status: "queued",
      queuedAt: at,
    })
    this.tell({ _tag: "Queued", call: row })
    return booked
  }

  private shows(booked: BookedCall, { preview, because }: Pick<InboxItem, "preview" | "because">): void {
    booked.shows(preview === undefined ? "" : textOf(preview), preview?.details)
    if (because !== undefined) booked.told.because = boundedTitle(because)
  }

  private stands(booked: BookedCall, kind: SpanKind, name: string, at: number): void {
    const { key } = booked
    const before = this.standing.get(booked)
    if (before?.index !== undefined) this.tell({ _tag: "SpanEnded", key, index: before.index, at })
    const index = booked.beginSpan()
    this.standing.set(booked, { kind, index, look: this.look })
    if (index !== undefined) this.tell({ _tag: "SpanBegan", key, index, kind, name: boundedName(name), at })
  }

  // --- Results of tasks

  /** Whether the results of any ended tasks were not read yet. */
  get hasUnread(): boolean {
    return this.unread.size > 0
  }

  /** The stored results of tasks. A missing result was taken. */
  results(tasks: ReadonlyArray<BackgroundTask>): void {
    for (const { id, content, output } of tasks) {
      const booked = this.unread.get(id)
      if (booked === undefined || output === undefined) continue
      booked.shows(withoutHint(content), output.details)
      this.tell({ _tag: "Kept", key: booked.key })
    }
    this.unread.clear()
  }

  // --- Questions

  /** Begins a poll of the inbox; returns its number. */
  beginLook(): number {
    this.look += 1
    return this.look
  }

  /**
   * The questions in the inbox; `isWhole`: all of them. A missing question was answered, unless an event since the poll
   * began has asked it.
   */
  asks(items: ReadonlyArray<InboxItem>, look: number, isWhole: boolean): void {
    const before = this.questions
    this.questions = new Map()
    const asking = new Set<string>()
    const effects = new Set<string>()
    for (const item of items) {
      const id = idOf(item)
      asking.add(item.callId)
      if (item.kind === "effect") {
        this.waits(item)
        effects.add(id)
        // Hosts mostly answer effects at once: only one that is still open at the next poll is shown.
        if (!this.effects.has(id)) continue
      }
      this.asked(id, item, before)
    }
    this.effects = effects
    for (const id of before.keys()) if (!this.questions.has(id)) this.tell({ _tag: "Answered", id })
    if (isWhole) this.resumeAnswered(asking, look)
  }

  private resumeAnswered(asking: ReadonlySet<string>, look: number): void {
    for (const [booked, { kind, look: since }] of this.standing) {
      if (kind === "handler" || since >= look || asking.has(booked.callId)) continue
      this.stands(booked, "handler", booked.name, Date.now())
    }
  }

  private waits(item: InboxItem): void {
    const booked = this.known(item, Date.now())
    if (this.standing.get(booked)?.kind === "wait") return
    this.stands(booked, "wait", item.effect?._tag ?? "an effect", Date.now())
  }

  private asked(id: string, item: InboxItem, before: StoreRecorder["questions"]): void {
    const { kind, askedAt, agentId, name, label, effect, deadline } = item
    const known = before.get(id)
    const at = askedAt ?? Date.now()
    const booked = known?.booked ?? this.known(item, at)
    this.questions.set(id, { item, booked })
    if (known !== undefined && known.item.approvedBy?.length === item.approvedBy?.length) return
    if (kind === "approval" && this.standing.get(booked)?.kind !== "gate") {
      this.shows(booked, item)
      this.stands(booked, "gate", "approval", at)
    }
    const { key } = booked
    const title = plainTitle(effect === undefined ? item : effectParts(effect))
    const asked = {
      id,
      key,
      parentId: booked.parentId,
      agentId,
      name,
      title,
      label,
      effect: effect?._tag,
      askedAt: at,
    }
    this.tell({ _tag: "Asked", question: questionRow({ ...asked, people: item, expiresAt: deadline }) })
  }
}
