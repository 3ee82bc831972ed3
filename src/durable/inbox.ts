/** The open questions of a store, of all agents. */

import type { AnswerOptions } from "../model/event.ts"
import type { HostEffect } from "../model/host-effect.ts"
import type { ToolOutput } from "../output/output.ts"
import { current } from "../snapshots/check-snapshot.ts"
import type { CallSnapshot } from "../snapshots/snapshot.ts"

/** An open question. Plain JSON. */
export interface InboxItem {
  /** The cursor of this item: `inbox({ after })` continues after it. */
  readonly seq: number
  readonly agentId: string
  readonly callId: string
  /** For a nested call: the id of its outer call. */
  readonly parentId?: string
  readonly name: string
  readonly params: unknown
  /**
   * `approval`: a gate asks. `start`: the call is `requested`. `effect`: the host carries out the effect and answers with `respond`;
   * effects that functions answer (`delegates`) are not listed.
   */
  readonly kind: "approval" | "start" | "effect"
  readonly background: boolean
  readonly label?: string
  /** Why it is asked; also that the call waits for a process that has its tool, if only others run. */
  readonly because?: string
  /** Set if only a person may answer. */
  readonly person?: true
  /** Set if an answer needs `by`: only some people may answer, or several have to approve. */
  readonly named?: true
  /** How many different people have to approve, if more than one. */
  readonly quorum?: number
  /** Who has approved so far, if more have to. */
  readonly approvedBy?: ReadonlyArray<string>
  /** The output so far, to be shown before the decision. */
  readonly preview?: ToolOutput
  readonly effect?: HostEffect
  /** Epoch milliseconds; later for each further question of a call. Absent for a `start`. */
  readonly askedAt?: number
  /** Epoch milliseconds. Absent if the question has no time limit. */
  readonly deadline?: number
}

/** A call that waits for a process with its tool. Plain JSON. */
export interface WaitingCall extends Pick<InboxItem, "seq" | "agentId" | "callId" | "name" | "params"> {
  /** When it was queued, in epoch milliseconds. */
  readonly createdAt?: number
}

/** Names one question of a call. An item of the inbox is one. */
export type AskedQuestion = Pick<InboxItem, "kind" | "askedAt">

/**
 * Options of `deny` and `respond`: the person who answers, and the fields of an inbox item, so that no other question is
 * answered.
 */
export interface AnswerItem extends AnswerOptions, Partial<AskedQuestion> {}

/** Options of `inbox`. */
export interface InboxOptions {
  readonly agentId?: string
  /** Only questions after this `seq`. */
  readonly after?: number
  /** Default 100. */
  readonly limit?: number
}

/** The default of `limit`. */
export const inboxLimit = 100

/** The row of an open question. */
export interface InboxRow {
  readonly seq: number
  readonly snapshot: string
  /** Epoch milliseconds. */
  readonly deadline: number | null
  /** Whether processes run that all lack the tool. */
  readonly lacking?: boolean
}

/**
 * Reads a page of items from rows. Rows without an item, or that cannot be read, take no place on the page, so a page that is not full
 * is the last one. `read` returns at most `limit` rows after a cursor.
 */
export const pageOf = async <Row extends { readonly seq: number }, Item>(
  read: (after: number, limit: number) => ReadonlyArray<Row> | Promise<ReadonlyArray<Row>>,
  itemOf: (row: Row) => Item | undefined,
  { after = 0, limit = inboxLimit }: InboxOptions,
): Promise<Array<Item>> => {
  const items: Array<Item> = []
  let place = after
  while (items.length < limit) {
    const wanted = limit - items.length
    const rows = await read(place, wanted)
    for (const row of rows) {
      place = row.seq
      const item = readable(row, itemOf)
      if (item !== undefined) items.push(item)
    }
    if (rows.length < wanted) break
  }
  return items
}

/** Reads a row or text; undefined for one that cannot be read: its call ends as an Error once a process runs it. */
export const readable = <Row, Item>(row: Row, read: (row: Row) => Item | undefined): Item | undefined => {
  try {
    return read(row)
  } catch {
    return undefined
  }
}

/** The question of a row. */
export const inboxItem = ({ seq, snapshot, deadline, lacking }: InboxRow): InboxItem | undefined => {
  const item = questionOf(seq, current(JSON.parse(snapshot)))
  if (item === undefined) return undefined
  const waits = `No process that runs has the tool "${item.name}": the call waits for one`
  const because = lacking !== true ? item.because : [item.because ?? [], waits].flat().join("\n")
  return { ...item, ...(because !== undefined && { because }), ...(deadline !== null && { deadline }) }
}

/** The call of a row that waits for a process with its tool. */
export const waitingCall = ({ seq, snapshot }: Omit<InboxRow, "deadline">): WaitingCall => {
  const { call, createdAt } = current(JSON.parse(snapshot))
  const { agentId, callId, name, params } = call
  return { seq, agentId, callId, name, params, ...(createdAt !== undefined && { createdAt }) }
}

const questionOf = (seq: number, snapshot: CallSnapshot): InboxItem | undefined => {
  const { call, state, refusal, action, askedAt } = snapshot
  const { agentId, callId, parentId, background } = call
  const { name, params } = action?.source ?? call
  const of = parentId === undefined ? {} : { parentId }
  const item = { seq, agentId, callId, ...of, name, params, background }
  // A call that could not be serialized is answered in its own process.
  if (state._tag === "Queued") return refusal === undefined ? { ...item, kind: "start" } : undefined
  const question = state._tag === "Asking" ? state.question : snapshot.asking
  // The question of a running handler is missing if it is not JSON: only its own process can answer it.
  if (question === undefined) return undefined
  const asked = askedAt === undefined ? {} : { askedAt }
  if (question.kind === "delegate") return { ...item, kind: "effect", effect: question.effect, ...asked }
  const { label = call.label, because, person, terms, votes } = question
  const preview = snapshot.output ?? action?.output
  return {
    ...item,
    kind: "approval",
    ...(label !== undefined && { label }),
    ...(because !== undefined && { because }),
    ...(person && { person }),
    ...(terms?.named && { named: true }),
    ...(terms?.quorum !== undefined && { quorum: terms.quorum }),
    ...(votes !== undefined && { approvedBy: votes }),
    ...(preview !== undefined && { preview }),
    ...asked,
  }
}
