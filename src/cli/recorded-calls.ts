/** Groups the events of a store by call, each with its first decision. Nothing is kept of ended calls. */
import type { StoredEvent } from "../durable/index.ts"
import type { DecidedBy } from "../model/decision.ts"

/** The decision about a call, and its reason. */
export interface Verdict {
  readonly verdict: "allow" | "ask" | "deny"
  /** The pattern that decided, if one did. */
  readonly rule?: string
  /** The source of the rule. */
  readonly source?: string
  /** A sentence. */
  readonly because?: string
}

/** A call, and the first decision about it: at its first gate, or before it began. */
export interface RecordedCall {
  readonly callId: string
  readonly agentId: string
  readonly name: string
  /** As the model gave them, checked. */
  readonly params: unknown
  /** When the call began, in epoch milliseconds. */
  readonly at: number
  readonly old: Verdict
  /** The decision given with the call, which takes precedence over the rules. */
  readonly decision: "pending" | "requested" | "approve" | "deny"
  /** Whether the call asked at a gate. */
  readonly isAsked: boolean
  /** Whether it was denied there. */
  readonly isRefused: boolean
  /** Whether it had begun, and reached no gate. */
  readonly isBeforeGate: boolean
}

/** A call that cannot be decided again. */
export interface Undecided {
  readonly at: number
  readonly why: string
}

type End = Extract<
  StoredEvent,
  { readonly _tag: "Completed" | "Error" | "Denied" | "Cancelled" | "BackgroundCompleted" }
>

interface Begun extends Pick<RecordedCall, "callId" | "agentId" | "name" | "params" | "at"> {
  asked?: string
}

const notKept = "of which the store does not have the parameters"
const byHook = "that a hook denied"

const begunBy = (event: StoredEvent): Begun | undefined => {
  // The record of a call that could not be stored lacks these fields.
  if (!("params" in event) || !("name" in event)) return undefined
  const { callId, agentId, name, params, at } = event
  return { callId, agentId, name, params, at }
}

/** A background call that was denied while it ran reports that in its last event. */
const isDenied = (end: End | undefined): boolean =>
  end?._tag === "Denied" || (end?._tag === "BackgroundCompleted" && end.status === "denied")

const isCompleted = (end: End | undefined): boolean =>
  end?._tag === "Completed" || (end?._tag === "BackgroundCompleted" && end.status === "complete")

const isCancelled = (end: End | undefined): boolean =>
  end?._tag === "Cancelled" || (end?._tag === "BackgroundCompleted" && end.status === "cancelled")

export const verdictOf = (
  verdict: Verdict["verdict"],
  { rule, source }: Pick<DecidedBy, "rule" | "source">,
  because: string | undefined,
): Verdict => ({
  verdict,
  ...(rule !== undefined && { rule }),
  ...(source !== undefined && { source }),
  ...(because !== undefined && { because }),
})

/** @param end Undefined for a call that has not ended. */
const recorded = ({ asked, ...call }: Begun, end: End | undefined): RecordedCall | Undecided => {
  const isRefused = isDenied(end)
  const plain = { ...call, decision: "pending", isAsked: false, isRefused, isBeforeGate: false } as const
  if (asked !== undefined) return { ...plain, isAsked: true, old: { verdict: "ask", because: asked } }
  const by = isCancelled(end) ? undefined : end?.decidedBy
  const verdict = isRefused ? "deny" : "allow"
  switch (by?.kind) {
    case "hook":
      return { at: call.at, why: byHook }
    case "rule":
      return { ...plain, isRefused: false, old: verdictOf(verdict, by, by.reason) }
    case "call":
      return { ...plain, decision: isRefused ? "deny" : "approve", old: verdictOf(verdict, by, by.reason) }
    case "reviewer":
    case "timeout":
      return { ...plain, old: verdictOf("ask", by, by.reason) }
    case "user":
      // Without a question, the call was `requested` and answered before it began.
      return { ...plain, decision: "requested", old: verdictOf("ask", by, by.reason) }
    default:
      return { ...plain, isBeforeGate: !isCompleted(end), old: { verdict: "allow" } }
  }
}

/** Yields each call as it ends, then those that have not ended. */
export async function* recordedCalls(
  events: AsyncIterable<StoredEvent>,
): AsyncGenerator<RecordedCall | Undecided, undefined, undefined> {
  const open = new Map<string, Begun>()
  for await (const event of events) {
    switch (event._tag) {
      case "Started": {
        const begun = begunBy(event)
        if (begun !== undefined) open.set(event.callId, begun)
        break
      }
      case "AwaitingApproval": {
        const begun = open.get(event.callId) ?? begunBy(event)
        if (begun === undefined) break
        begun.asked ??= event.because
        open.set(event.callId, begun)
        break
      }
      case "Error":
        // The id belongs to another call.
        if (event.reason === "duplicate") break
        yield* ended(open, event)
        break
      case "Completed":
      case "Denied":
      case "Cancelled":
      case "BackgroundCompleted":
        yield* ended(open, event)
    }
  }
  for (const begun of open.values()) yield recorded(begun, undefined)
}

function* ended(open: Map<string, Begun>, end: End): Generator<RecordedCall | Undecided> {
  const begun = open.get(end.callId) ?? begunBy(end)
  open.delete(end.callId)
  yield begun === undefined ? { at: end.at, why: notKept } : recorded(begun, end)
}
