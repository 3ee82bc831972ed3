/** What is kept of one call for whoever opens it. Bounded: of what is large, the start of its text, and else the thing itself. */
import type { CallDetails } from "../../../pipeline/call/inspection.ts"
import type { DecidedBy } from "../../../pipeline/model/decision.ts"
import type { PartDescription } from "../../../pipeline/model/pipeline.ts"
import { shownJson } from "../../shown-json.ts"
import { diffOf, isUnifiedDiff } from "../../terminal/render-diff.ts"
import type { CallDetail, DecisionDetail, PartDetail } from "../state/detail.ts"
import type { CallRow, CallStatus, SpanKind } from "../state/page-state.ts"
import { bounded, boundedName, boundedTitle, isCut, roughSize, Tail } from "./bounded.ts"

/** What makes a call's row and its detail. */
export interface Booking {
  readonly key: number
  readonly callId: string
  readonly agentId: string
  readonly name: string
  readonly params: unknown
}

/** Parts of a bar; a call that loops over a gate does not make an endless one. */
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

/** What a call's last event tells beside how it ended, and its text. */
export interface EndFacts {
  readonly decidedBy?: DecidedBy
  readonly reason?: string
  readonly cleanupErrors?: ReadonlyArray<string>
  readonly editedParams?: unknown
  readonly staged?: { readonly actionId: string; readonly label: string }
}

const noQuestions: ReadonlyArray<string> = []

/** Of finally handlers that failed. */
const maxErrors = 20

const decisionOf = ({ kind, rule, source, command, reason }: DecidedBy): DecisionDetail => ({
  kind,
  ...(rule !== undefined && { rule: bounded(rule, 2_000) }),
  ...(source !== undefined && { source: boundedName(source) }),
  ...(command !== undefined && { command: bounded(command, 2_000) }),
  ...(reason !== undefined && { reason: bounded(reason, 2_000) }),
})

/** The diff that an output tells of, in its details or as its text. */
export const diffIn = (text: string, details: unknown): string | undefined =>
  diffOf(details) ?? (isUnifiedDiff(text) ? text : undefined)

/** One call, from its enqueueing until it is dropped. */
export class BookedCall {
  readonly key: number
  readonly callId: string
  readonly agentId: string
  readonly name: string
  readonly told: Texts = {}
  status: CallStatus = "queued"
  title = ""
  /** How many parts its bar has. */
  spans = 0
  /** The ids of its open questions. */
  questions: ReadonlyArray<string> = noQuestions
  content = ""
  /** Whether there is more to what it shows than is kept of it. */
  private isCut = false
  /** Of one that is over, not where they are large: then there is but their text. */
  private params: unknown
  private paramsText: string | undefined
  /** Not there where nothing was streamed. */
  private output: Tail | undefined
  private plan: ReadonlyArray<PartDescription> = []
  /** The part that runs or waits, and the furthest that was done. */
  private part: number | undefined
  private failedAt: number | undefined

  constructor({ key, callId, agentId, name, params }: Booking) {
    this.key = key
    this.callId = callId
    this.agentId = agentId
    this.name = name
    this.params = params
  }

  get isOver(): boolean {
    const { status } = this
    return status === "complete" || status === "error" || status === "denied" || status === "cancelled"
  }

  /** It is over: what it holds is bounded from here on. Gives how much that is, in characters, about. */
  settle(): number {
    const { content, output, told } = this
    const params = roughSize(this.params) ?? this.textOfParams().length
    // The text is all that is kept of what is large.
    if (this.paramsText !== undefined) this.params = undefined
    return 500 + params + content.length + (output?.size ?? 0) + (told.diff?.length ?? 0)
  }

  /** True where these are other parameters than it was enqueued with. */
  started(params: unknown): boolean {
    if (params === this.params) return false
    this.params = params
    this.paramsText = undefined
    return true
  }

  /** These are what is asked about: what a handler makes of them later is not. */
  asked(): void {
    this.textOfParams()
  }

  /** Worded when somebody wants to read them. */
  private textOfParams(): string {
    this.paramsText ??= bounded(shownJson(this.params, 2))
    return this.paramsText
  }

  streamed(content: string): void {
    this.output ??= new Tail()
    this.output.add(content)
  }

  /** What the call shows, and the diff in it. */
  shows(text: string, details: unknown): void {
    this.content = bounded(text)
    const diff = diffIn(text, details)
    if (diff !== undefined) this.told.diff = bounded(diff)
    this.isCut = isCut(diff ?? text)
  }

  /** Where it stands now. */
  stands({ plan, part, traceId, decidedBy }: CallDetails): void {
    this.plan = plan
    if (part !== undefined) this.part = part
    if (traceId !== undefined) this.told.traceId = traceId
    if (decidedBy !== undefined) this.decided(decidedBy)
  }

  decided(by: DecidedBy): void {
    this.told.decidedBy = decisionOf(by)
  }

  /** What it shows is not known: nothing is to be decided by it. */
  hides(why: string): void {
    this.content = why
    this.isCut = true
  }

  ends(status: CallStatus, facts: EndFacts): void {
    const { told } = this
    const { decidedBy, reason, cleanupErrors, staged } = facts
    this.status = status
    if (decidedBy !== undefined) this.decided(decidedBy)
    if (reason !== undefined) told.reason = reason
    if (cleanupErrors !== undefined)
      told.cleanupErrors = cleanupErrors.slice(0, maxErrors).map((text) => bounded(text, 2_000))
    if ("editedParams" in facts) told.editedParams = bounded(shownJson(facts.editedParams, 2))
    if (staged !== undefined) told.staged = { ...staged, label: boundedTitle(staged.label) }
  }

  /** The index of a part of its bar that begins; undefined where it has enough. */
  beginSpan(): number | undefined {
    if (this.spans >= maxSpans) return undefined
    this.spans += 1
    return this.spans - 1
  }

  /** A handler has left: what is behind it never ran where it failed. */
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

  /** Whether a main part ran, where the call went on to its cleanup before the end. */
  private isBehind(index: number, mains: number): boolean {
    const at = this.part ?? 0
    if (this.failedAt !== undefined) return index <= this.failedAt
    return at < mains ? index < at : index < Math.min(mains, this.reached)
  }

  /** How many main parts were reached before the cleanup began. */
  reached = 0
}
