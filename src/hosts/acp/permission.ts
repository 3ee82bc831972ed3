/** Turns a gate into a permission that the client asks its user for, and the user's answer into a decision. */
import type { PermissionOption, RequestPermissionResponse } from "@agentclientprotocol/sdk"
import type { AwaitingApprovalEvent } from "../../model/event.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import { shownJson } from "../shown-json.ts"

/** The permission shows the whole call. */
const allowAlways = "Always allow this very call, and no other"

/** The options at a gate. Allowing always is offered only if a rule can do that. */
export const permissionOptions = (
  executor: Pick<ToolExecutor, "wouldRemember">,
  gate: AwaitingApprovalEvent,
): Array<PermissionOption> => {
  const rules = gate.person === true ? undefined : executor.wouldRemember(gate.callId)
  const always = rules !== undefined && rules.length > 0
  return [
    { optionId: "allow_once", kind: "allow_once", name: "Allow" },
    ...(always ? [{ optionId: "allow_always", kind: "allow_always" as const, name: allowAlways }] : []),
    { optionId: "reject_once", kind: "reject_once", name: "Reject" },
    { optionId: "reject_always", kind: "reject_always", name: "Reject this call from now on" },
  ]
}

/** What an answer means; `cancelled` has no option. */
export type Permission = "allow_once" | "allow_always" | "reject_once" | "reject_always" | "cancelled"

/** Throws an Error, which denies the call, for an option that was not offered. */
export const permissionOf = (answer: unknown, offered: ReadonlyArray<PermissionOption>): Permission => {
  const { outcome } = (answer ?? {}) as Partial<RequestPermissionResponse>
  if (outcome?.outcome === "cancelled") return "cancelled"
  const optionId = outcome?.optionId
  const isOffered = offered.some((option) => option.optionId === optionId)
  if (isOffered) return optionId as Permission
  throw new Error(`The client answered with the option ${JSON.stringify(optionId)}, which was not offered`)
}

/** Identifies a call that was rejected for good: the same tool with the same parameters. */
export const callKey = (name: string, params: unknown): string => shownJson([name, params])
