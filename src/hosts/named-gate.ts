/** Gates that only some people may answer, or that need several approvals. */

import { type ApproveOptions, type AwaitingApprovalEvent, unattended } from "../model/event.ts"
import type { Taken } from "../pipeline/questions/answer-list.ts"

export const nobodyNamed =
  "Only some people may approve this call, or several have to, and here it cannot be said who answers."

/** The note about an answer, if any: why it did not take effect, or what is still missing. */
export const noteOn = ({ took, why }: Taken): string | undefined =>
  took && why !== undefined ? `Your approval counts. ${why}` : why

/** Describes whose approvals a gate needs, and whose it has. */
export const peopleOf = ({
  quorum,
  approvedBy = [],
}: {
  readonly quorum?: number
  readonly approvedBy?: ReadonlyArray<string>
}): string => {
  if (quorum === undefined) return "only some people may answer"
  const names = approvedBy.length === 0 ? "" : `, by ${approvedBy.join(", ")}`
  return `${approvedBy.length} of ${quorum}${names}`
}

/**
 * Approves, and denies the gate if the approval does not count: otherwise its call would wait forever. Returns whether it
 * approved.
 */
export const approveOrEnd = (gate: AwaitingApprovalEvent, options?: ApproveOptions): boolean => {
  if (gate.approve(options)) return true
  // Any gate can refuse edited parameters, and then stays open.
  if (gate.named === true) gate.deny(nobodyNamed, unattended)
  return false
}
