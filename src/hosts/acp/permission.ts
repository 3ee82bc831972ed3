/** A gate as a permission that the client asks its user for, and what the user's answer means. */
import type { PermissionOption, RequestPermissionResponse } from "@agentclientprotocol/sdk"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { AwaitingApprovalEvent } from "../../pipeline/model/event.ts"
import { shownJson } from "../shown-json.ts"

/** What runs stands in the permission, whole. */
const allowAlways = "Always allow this very call, and no other"

/** What is offered at a gate; to allow always, where a rule can. */
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

/** What an answer is, also one that no option stands for. */
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

/** A call as one that is rejected for good is known again: the same tool with the same parameters. */
export const callKey = (name: string, params: unknown): string => shownJson([name, params])
