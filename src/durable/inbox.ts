/** What the hosts of a store are asked, of every agent. */

import type { ToolOutput } from "../output/output.ts"
import type { CallSnapshot } from "../pipeline/call/snapshot.ts"
import type { HostEffect } from "../pipeline/model/host-effect.ts"

/** One question that is open. Plain JSON. */
export interface InboxItem {
  /** Its place: `inbox({ after })` goes on behind it. */
  readonly seq: number
  readonly agentId: string
  readonly callId: string
  readonly name: string
  readonly params: unknown
  /**
   * `approval`: at a gate. `start`: a `requested` call. `effect`: the host is to carry something out, and `respond`; what functions
   * answer (`delegates`) is not listed.
   */
  readonly kind: "approval" | "start" | "effect"
  readonly background: boolean
  readonly label?: string
  readonly because?: string
  /** Set where only a person is to answer. */
  readonly person?: true
  /** The output so far: what is shown before it is decided. */
  readonly preview?: ToolOutput
  readonly effect?: HostEffect
  /** Epoch milliseconds; later for each question of a call. Not there for a `start`. */
  readonly askedAt?: number
  /** Epoch milliseconds; not there where it may wait for ever. */
  readonly deadline?: number
}

/** Which question of a call is meant: an item of the inbox says so. */
export type AskedQuestion = Pick<InboxItem, "kind" | "askedAt">

/** Which questions are listed. */
export interface InboxOptions {
  readonly agentId?: string
  /** Behind this place. */
  readonly after?: number
  /** Default 100. */
  readonly limit?: number
}

/** How many questions are listed, where nothing else is said. */
export const inboxLimit = 100

/** What a database holds of a question that is open. */
export interface InboxRow {
  readonly seq: number
  readonly snapshot: string
  /** Epoch milliseconds. */
  readonly deadline: number | null
}

/**
 * The questions that are open, as far as they can be read. What cannot be read takes no place on the page: one that is not full is
 * the last. `read` gives the rows behind a place, at most so many.
 */
export const inboxPage = async (
  read: (after: number, limit: number) => ReadonlyArray<InboxRow> | Promise<ReadonlyArray<InboxRow>>,
  { after = 0, limit = inboxLimit }: InboxOptions,
): Promise<Array<InboxItem>> => {
  const items: Array<InboxItem> = []
  let place = after
  while (items.length < limit) {
    const wanted = limit - items.length
    const rows = await read(place, wanted)
    for (const row of rows) {
      place = row.seq
      const item = inboxItem(row)
      if (item !== undefined) items.push(item)
    }
    if (rows.length < wanted) break
  }
  return items
}

/** A question that is open, as its row tells it; undefined for one that cannot be read. */
const inboxItem = ({ seq, snapshot, deadline }: InboxRow): InboxItem | undefined => {
  try {
    const item = itemOf(seq, JSON.parse(snapshot) as CallSnapshot)
    return item === undefined || deadline === null ? item : { ...item, deadline }
  } catch {
    // Its call ends as an Error once a process runs it.
    return undefined
  }
}

const itemOf = (seq: number, { call, standing, refusal }: CallSnapshot): InboxItem | undefined => {
  const { agentId, callId, background } = call
  const action = standing?.action
  const { name, params } = action?.source ?? call
  const item = { seq, agentId, callId, name, params, background }
  // What cannot be written down is answered where it is known.
  if (standing === undefined) return refusal === undefined ? { ...item, kind: "start" } : undefined
  const question = standing.question ?? standing.asking
  // What it asks in its middle, and is no JSON, nobody else can answer.
  if (question === undefined) return undefined
  const asked = standing.askedAt === undefined ? {} : { askedAt: standing.askedAt }
  if (question.kind === "delegate") return { ...item, kind: "effect", effect: question.effect, ...asked }
  const { label, because, person } = question
  const preview = standing.output ?? action?.output
  return {
    ...item,
    kind: "approval",
    ...(label !== undefined && { label }),
    ...(because !== undefined && { because }),
    ...(person && { person }),
    ...(preview !== undefined && { preview }),
    ...asked,
  }
}
