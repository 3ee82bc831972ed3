/** A gate as a form that an MCP client shows its user, and what the user's answer means. */
import type { ElicitRequestFormParams } from "@modelcontextprotocol/server"
import type { AwaitingApprovalEvent } from "../../pipeline/model/event.ts"
import { textOf } from "../../pipeline/model/output.ts"
import type { Tool } from "../../pipeline/model/tool.ts"
import { visibleText } from "../../text/visible-text.ts"
import { shownJson } from "../shown-json.ts"
import { diffOf } from "../terminal/render-diff.ts"

/** A gate, as an answer meets it. */
type Gate = Pick<AwaitingApprovalEvent, "params" | "approve" | "deny">

/** Characters of one part of the question: a form is no pager. */
const maxPart = 8_000

const bounded = (text: string): string =>
  text.length <= maxPart
    ? text
    : `${text.slice(0, maxPart)}\n[${text.length - maxPart} more characters are not shown: deny what you cannot judge]`

const previewOf = ({ preview }: AwaitingApprovalEvent): string | undefined => {
  if (preview === undefined) return undefined
  const text = textOf(preview)
  const diff = diffOf(preview.details)
  return diff === undefined || text.includes(diff) ? text : `${text}\n${diff}`
}

/** Nothing of what the model wrote can hide in it, or pass for a part of the question. */
const quoted = (text: string): string => bounded(visibleText(text)).replace(/^/gm, "  ")

const questionText = (
  gate: AwaitingApprovalEvent,
  tool: Tool<unknown> | undefined,
  note: string | undefined,
): string => {
  const { name, params, label, because } = gate
  const preview = previewOf(gate)
  return [
    ...(note === undefined ? [] : [note]),
    `May the tool ${tool?.label ?? name} (${name}) run?`,
    ...(label === undefined ? [] : [visibleText(label, { singleLine: true })]),
    `With these parameters:\n${quoted(params === undefined ? "nothing" : shownJson(params, 2))}`,
    ...(preview === undefined || preview === "" ? [] : [`What would happen:\n${quoted(preview)}`]),
    `Why it is asked: ${visibleText(because, { singleLine: true })}`,
  ].join("\n\n")
}

/** What a client is asked to show. `note` stands above the question. */
export const questionForm = (
  gate: AwaitingApprovalEvent,
  tool: Tool<unknown> | undefined,
  note?: string,
): ElicitRequestFormParams => ({
  mode: "form",
  message: questionText(gate, tool, note),
  requestedSchema: {
    type: "object",
    properties: {
      decision: {
        type: "string",
        title: "Decision",
        enum: ["approve", "deny"],
        description: "Whether the call may run.",
      },
      reason: {
        type: "string",
        title: "Reason",
        description: "Told to the model with a denial, and to the tool with an approval.",
      },
      params: {
        type: "string",
        title: "Other parameters",
        description: "JSON of the parameters to run with instead. Leave it empty to run the call as it is.",
      },
    },
    required: ["decision"],
  },
})

const dismissed = "The user dismissed the question without an answer. Do not try it again unasked."

const parsed = (json: string): { readonly params: unknown } | undefined => {
  try {
    const params: unknown = JSON.parse(json)
    return typeof params === "object" && params !== null && !Array.isArray(params) ? { params } : undefined
  } catch {
    return undefined
  }
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

/**
 * Decides a gate as the user answered. Only a plain `approve` approves.
 * Gives what to tell the user where the answer cannot be used, and the gate is still open.
 */
export const answerGate = (gate: Gate, answer: unknown): string | undefined => {
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: Record<string, unknown> }
  if (action === "decline") {
    gate.deny()
    return undefined
  }
  if (action !== "accept") {
    gate.deny(dismissed)
    return undefined
  }
  const { decision, reason, params } = content ?? {}
  if (decision === "deny") {
    gate.deny(text(reason))
    return undefined
  }
  if (decision !== "approve") return "The answer has to name a decision: approve or deny."
  const given = text(reason)
  const edit = text(params)
  const edited = edit === undefined ? undefined : parsed(edit)
  if (edit !== undefined && edited === undefined) {
    return "The other parameters are no JSON object. Correct them, or leave them empty to run the call as it is."
  }
  gate.approve({ ...(given !== undefined && { reason: given }), ...edited })
  return undefined
}
