/** The details of one call for pages. Bounded: for a large value only the start of its text is kept. */

import type { DecidedBy } from "../../../model/decision.ts"
import type { PartDescription } from "../../../model/pipeline.ts"
import type { CallDetails } from "../../../pipeline/call/inspection.ts"
import { shownJson } from "../../shown-json.ts"
import { Tail } from "../../tail.ts"
import { diffOf, isUnifiedDiff } from "../../terminal/render-diff.ts"
import type { CallDetail, DecisionDetail, PartDetail } from "../state/detail.ts"
import type { CallRow, CallStatus, DecidedRow, SpanKind } from "../state/page-state.ts"
import { bounded, boundedName, boundedTitle, isCut, maxShown, roughSize } from "./bounded.ts"

/** The source of a call's row and details. */
export interface Booking {
  readonly key: number
  readonly callId: string
  /** For a nested call: the id of its outer call. */
  readonly parentId?: string | undefined
  readonly agentId: string
  readonly name: string
  readonly params: unknown
}

/** Maximum parts of a bar: a call that loops over a gate must not make an endless one. */
const maxSpans = 200

interface Texts {
  editedParams?: string
  diff?: string
  decidedBy?: DecisionDetail
  reason?: string
  because?: string
  traceId?: string
  staged?: { readonly actionId: string; readonly label: string }
  cleanupErrors?: ReadonlyArray<string>
}

/** What a call's last event contains in addition to its status and text. */
export interface EndFacts {
  readonly decidedBy?: DecidedBy
  readonly reason?: string
  readonly cleanupErrors?: ReadonlyArray<string>
  readonly editedParams?: unknown
  readonly staged?: { readonly actionId: string; readonly label: string }
  readonly bounded?: unknown
}

const noQuestions: ReadonlyArray<string> = []

/** Maximum number of errors of finally handlers. */
const maxErrors = 20

const decisionOf = (by: DecidedBy): DecisionDetail => {
  const { kind, id, approvedBy, rule, source, command, reason } = by
  const people = approvedBy?.join(", ") ?? id
  return {
    kind,
    ...(people !== undefined && { people: boundedTitle(people) }),
    ...(rule !== undefined && { rule: bounded(rule, 2_000) }),
    ...(source !== undefined && { source: boundedName(source) }),
    ...(command !== undefined && { command: bounded(command, 2_000) }),
    ...(reason !== undefined && { reason: bounded(reason, 2_000) }),
  }
}

/** The diff of an output, in its details or as its text. */
export const diffIn = (text: string, details: unknown): string | undefined =>
  diffOf(details) ?? (isUnifiedDiff(text) ? text : undefined)

/** One call, from its enqueueing until it is dropped. */
export class BookedCall {
  readonly key: number
  readonly callId: string
  readonly parentId: string | undefined
  readonly agentId: string
  readonly name: string
  readonly told: Texts = {}
  status: CallStatus = "queued"
  title = ""
  /** The number of parts of its bar. */
  spans = 0
  /** The ids of its open questions. */
  questions: ReadonlyArray<string> = noQuestions
  content = ""
  /** Whether some of its texts were cut. */
  private isCut = false
  /** Dropped at the end of the call if they are large: then only their text is kept. */
  private params: unknown
  private paramsText: string | undefined
  /** Undefined if nothing was streamed. */
  private output: Tail | undefined
  private plan: ReadonlyArray<PartDescription> = []
  /** The part that runs or waits, and the furthest completed one. */
  private part: number | undefined
  private failedAt: number | undefined

  constructor({ key, callId, parentId, agentId, name, params }: Booking) {
    this.key = key
    this.callId = callId
    this.parentId = parentId
    this.agentId = agentId
    this.name = name
    this.params = params
  }

  /** Who decided, for its row. */
  get decidedRow(): { readonly by?: DecidedRow } {
    const { decidedBy } = this.told
    if (decidedBy === undefined) return {}
    const { kind, people, source } = decidedBy
    const name = people ?? source
    return { by: { kind, ...(name !== undefined && { name }) } }
  }

  get isOver(): boolean {
    const { status } = this
    return status === "complete" || status === "error" || status === "denied" || status === "cancelled"
  }

  /** Bounds the data of a call that has ended. Returns its approximate size in characters. */
  settle(): number {
    const { content, output, told } = this
    const params = roughSize(this.params) ?? this.textOfParams().length
    // For large parameters, only the text is kept.
    if (this.paramsText !== undefined) this.params = undefined
    return 500 + params + content.length + (output?.size ?? 0) + (told.diff?.length ?? 0)
  }

  /** Sets the parameters. Returns whether they differ from the enqueued ones. */
  started(params: unknown): boolean {
    if (params === this.params) return false
    this.params = params
    this.paramsText = undefined
    return true
  }

  /** Fixes the parameters' text for a question, before handlers change them. */
  asked(): void {
    this.textOfParams()
  }

  /** Converted on demand. */
  private textOfParams(): string {
    this.paramsText ??= bounded(shownJson(this.params, 2))
    return this.paramsText
  }

  streamed(content: string): void {
    this.output ??= new Tail(maxShown)
    this.output.add(content)
  }

  /** Sets the shown text, and the diff in it. */
  shows(text: string, details: unknown): void {
    this.content = bounded(text)
    const diff = diffIn(text, details)
    if (diff !== undefined) this.told.diff = bounded(diff)
    this.isCut = isCut(diff ?? text)
  }

  /** Sets the plan and the current part. */
  stands({ plan, part, traceId, decidedBy }: CallDetails): void {
    this.plan = plan
    if (part !== undefined) this.part = part
    if (traceId !== undefined) this.told.traceId = traceId
    if (decidedBy !== undefined) this.decided(decidedBy)
  }

  decided(by: DecidedBy): void {
    this.told.decidedBy = decisionOf(by)
  }

  /** Records that the call's output is unknown, so that nothing can be decided by it. */
  hides(why: string): void {
    this.content = why
    this.isCut = true
  }

  ends(status: CallStatus, facts: EndFacts): void {
    const { told } = this
    const { decidedBy, reason, cleanupErrors, staged, bounded: cut } = facts
    this.status = status
    // The output is cut for the model, and so also for whoever decides on a preview.
    if (cut !== undefined) this.isCut = true
    if (decidedBy !== undefined) this.decided(decidedBy)
    if (reason !== undefined) told.reason = reason
    if (cleanupErrors !== undefined)
      told.cleanupErrors = cleanupErrors.slice(0, maxErrors).map((text) => bounded(text, 2_000))
    if ("editedParams" in facts) told.editedParams = bounded(shownJson(facts.editedParams, 2))
    if (staged !== undefined) told.staged = { ...staged, label: boundedTitle(staged.label) }
  }

  /** The index of a new part of its bar; undefined if it has enough. */
  beginSpan(): number | undefined {
    if (this.spans >= maxSpans) return undefined
    this.spans += 1
    return this.spans - 1
  }

  /** Records where a handler failed: the parts after it have not run. */
  left(kind: SpanKind, failed: boolean): void {
    if (failed && kind === "handler") this.failedAt = this.part
  }

  detail(row: CallRow): CallDetail {
    const { content, isCut, told } = this
    const params = this.textOfParams()
    return { row, params, content, isCut, output: this.output?.toString() ?? "", plan: this.parts(), ...told }
  }

  private parts(): Array<PartDetail> {
    const finals = this.plan.findIndex(({ kind }) => kind === "finally")
    const mains = finals < 0 ? this.plan.length : finals
    return this.plan.map(({ name, label, ...part }, index) => ({
      ...part,
      name: boundedName(name),
      ...(label !== undefined && { label: boundedTitle(label) }),
      state: this.stateOf(index, mains),
    }))
  }

  private stateOf(index: number, mains: number): PartDetail["state"] {
    const at = this.part ?? 0
    if (!this.isOver) {
      if (index === at) return "now"
      if (index < at) return this.isBehind(index, mains) ? "done" : "skipped"
      return "ahead"
    }
    if (this.status === "complete" || index >= mains) return "done"
    return this.isBehind(index, mains) ? "done" : "skipped"
  }

  /** Whether a main part has run, also for a call that continued to its cleanup early. */
  private isBehind(index: number, mains: number): boolean {
    const at = this.part ?? 0
    if (this.failedAt !== undefined) return index <= this.failedAt
    return at < mains ? index < at : index < Math.min(mains, this.reached)
  }

  /** The number of main parts that were reached before the cleanup. */
  reached = 0
}
