/** The rows of a page's state, with bounded names and lines. */
import type { ActionPendingEvent, AwaitingApprovalEvent } from "../../../model/event.ts"
import { peopleOf } from "../../named-gate.ts"
import type { ActionRow, CallRow, QuestionRow } from "../state/page-state.ts"
import { boundedName, boundedTitle } from "./bounded.ts"

/** The row of a call that is new to pages. `lane`: default the agent's. */
export const callRow = ({
  key,
  callId,
  parentId,
  agentId,
  lane = agentId,
  name,
  title,
  background,
  status,
  queuedAt,
}: Pick<CallRow, "key" | "callId" | "agentId" | "name" | "title" | "background" | "status" | "queuedAt"> & {
  readonly lane?: string | undefined
  readonly parentId?: string | undefined
}): CallRow => ({
  key,
  callId: boundedName(callId),
  ...(parentId !== undefined && { parentId: boundedName(parentId) }),
  agentId: boundedName(agentId),
  lane: boundedName(lane),
  name: boundedName(name),
  title,
  background,
  status,
  queuedAt,
  spans: [],
  revision: 0,
})

type AskedPeople = Pick<AwaitingApprovalEvent, "named" | "quorum" | "approvedBy">

/** The people whose approvals count, for the row of a question. */
export const peopleRow = (gate: AskedPeople | undefined): Pick<QuestionRow, "people"> =>
  gate?.named === true ? { people: boundedTitle(peopleOf(gate)) } : {}

/** The row of a question. Its caller bounds the title. */
export const questionRow = ({
  parentId,
  agentId,
  name,
  label,
  people,
  effect,
  expiresAt,
  ...row
}: Pick<QuestionRow, "id" | "key" | "agentId" | "name" | "title" | "askedAt"> & {
  readonly parentId?: string | undefined
  readonly label?: string | undefined
  readonly people?: AskedPeople | undefined
  readonly effect?: string | undefined
  readonly expiresAt?: number | undefined
}): QuestionRow => ({
  ...row,
  ...(parentId !== undefined && { parentId: boundedName(parentId) }),
  agentId: boundedName(agentId),
  name: boundedName(name),
  ...(label !== undefined && { label: boundedTitle(label) }),
  ...peopleRow(people),
  ...(effect !== undefined && { effect: boundedName(effect) }),
  ...(expiresAt !== undefined && { expiresAt }),
})

/** The row of a preview. `key`: of the call that staged it, if that is shown. */
export const actionRow = (
  {
    actionId,
    agentId,
    label,
    sourceToolName,
    at,
  }: Pick<ActionPendingEvent, "actionId" | "agentId" | "label" | "sourceToolName" | "at">,
  key: number | undefined,
): ActionRow => ({
  actionId,
  agentId: boundedName(agentId),
  label: boundedTitle(label),
  sourceToolName: boundedName(sourceToolName),
  at,
  ...(key !== undefined && { key }),
})
