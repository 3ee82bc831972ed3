/** Decides whether a call of a foreign tool waits for approval, and what its host is shown then. Nothing here throws. */

import type { CustomToolHost } from "./host.ts"
import { copyOf, quietly, runIsolated } from "./loading/isolation.ts"
import type { ForeignTool } from "./tool-shape.ts"

type Gate =
  | { readonly _tag: "Open" }
  | { readonly _tag: "Ask"; readonly label?: string }
  /** The tool itself forbids the call. */
  | { readonly _tag: "Refuse"; readonly reason: string }

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {}

/** Whether the tool declares that all its calls only read. */
export const saysReadOnly = ({ annotations, approval }: ForeignTool): boolean => {
  const { readOnly, readOnlyHint } = fieldsOf(annotations)
  return readOnly === true || readOnlyHint === true || readsOnly(approval)
}

/**
 * Whether a declaration is `"read"`, or `{ tier: "read" }` without `policy: "prompt"`, which asks despite the tier.
 * `policy: "allow"` is ignored, because only the host can allow.
 */
const readsOnly = (decision: unknown): boolean => {
  const { tier, policy } = fieldsOf(decision)
  return decision === "read" || (tier === "read" && policy !== "prompt")
}

const attempt = <T>(name: string, work: () => T): T | undefined => {
  try {
    return quietly(runIsolated(name, work))
  } catch {
    return undefined
  }
}

/** The tool's declaration for this call. `approval` can be a function of the arguments. */
const declarationOf = (tool: ForeignTool, params: unknown) => {
  const decision =
    typeof tool.approval === "function"
      ? attempt(tool.name, () => (tool as { approval(params: unknown): unknown }).approval(copyOf(params)))
      : tool.approval
  const { policy, reason } = fieldsOf(decision)
  const given = typeof reason === "string" && reason !== "" ? reason : undefined
  const refusal = policy === "deny" ? (given ?? `Tool "${tool.name}" refuses this call`) : undefined
  return { readOnly: saysReadOnly(tool) || readsOnly(decision), reason: given, refusal }
}

const detailLines = (tool: ForeignTool, params: unknown): Array<string> => {
  if (typeof tool.formatApprovalDetails !== "function") return []
  const details = attempt(tool.name, () =>
    (tool as { formatApprovalDetails(params: unknown): unknown }).formatApprovalDetails(copyOf(params)),
  )
  const lines: Array<unknown> = Array.isArray(details) ? details : [details]
  return lines.filter((line): line is string => typeof line === "string" && line !== "")
}

/** The host's decision, if it has one. If the host's function throws, the call asks. */
const needsApproval = (tool: ForeignTool, host: CustomToolHost, readOnly: boolean, params: unknown) => {
  const { approval } = host
  if (typeof approval !== "function") return approval ?? !readOnly
  const { name, label } = tool
  try {
    return approval.call(host, { name, label: typeof label === "string" ? label : name, readOnly }, params)
  } catch {
    return true
  }
}

export const gateOf = (tool: ForeignTool, host: CustomToolHost, params: unknown): Gate => {
  const { readOnly, refusal, reason } = declarationOf(tool, params)
  if (refusal !== undefined) return { _tag: "Refuse", reason: refusal }
  if (!needsApproval(tool, host, readOnly, params)) return { _tag: "Open" }
  const lines = [...(reason === undefined ? [] : [reason]), ...detailLines(tool, params)]
  return lines.length === 0 ? { _tag: "Ask" } : { _tag: "Ask", label: lines.join("\n") }
}
