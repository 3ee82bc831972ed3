/** Gates that only some people may answer, in hosts that do not know who answers. */
import { type ApproveOptions, type AwaitingApprovalEvent, unattended } from "../pipeline/model/event.ts"

const nobodyNamed =
  "Only some people may approve this call, or several have to, and here it cannot be said who answers."

/** Approves, and denies the gate if the approval does not count: otherwise its call would wait for ever. Returns whether it approved. */
export const approveOrEnd = (gate: AwaitingApprovalEvent, options?: ApproveOptions): boolean => {
  if (gate.approve(options)) return true
  // Edited parameters may be refused of any gate, which then stays open.
  if (gate.named === true) gate.deny(nobodyNamed, unattended)
  return false
}
