/** A gate as a form that an MCP client shows its user, and what the user's answer means. */
import type { ElicitRequestFormParams } from "@modelcontextprotocol/server"
import { type AwaitingApprovalEvent, unattended } from "../../model/event.ts"
import type { Tool } from "../../model/tool.ts"
import { textOf } from "../../output/output.ts"
import type { ToolExecutor } from "../../pipeline/executor.ts"
import type { ListedApproval } from "../../pipeline/questions/answer-list.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import { visibleText } from "../../text/visible-text.ts"
import { nobodyNamed, peopleOf } from "../named-gate.ts"
import { shownJson } from "../shown-json.ts"
import type { RememberedChoice } from "../terminal/remember-menu.ts"
import { diffOf } from "../terminal/render-diff.ts"

/** A gate, with information that its event lacks. */
export interface AskedGate {
  readonly executor: ToolExecutor
  readonly gate: AwaitingApprovalEvent
  readonly tool: Tool<unknown> | undefined
  /** Whether the parameters can be edited: not if the call is a `resolve`, and the gate belongs to what it applies. */
  readonly mayEdit: boolean
  /** The choice to remember; undefined if there is none. */
  readonly always: RememberedChoice | undefined
}

/** Why an answer decides nothing. */
export interface AnswerFault {
  readonly about: "answer" | "decision" | "params" | "who"
  /** For the user. */
  readonly text: string
}

/** Characters of one part of the question: a form does not scroll. */
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

/** What a remembered approval would allow, if a form can show all of it. */
export const offered = (choices: ReadonlyArray<RememberedChoice>): RememberedChoice | undefined =>
  choices.find(({ choice, rules }) => choice === "call" && visibleText(rules.join("\n")).length <= maxPart)

/** Quotes the model's text, so that it can neither hide nor be mistaken for a part of the question. */
const quoted = (text: string): string => bounded(visibleText(text)).replace(/^/gm, "  ")

const questionText = ({ gate, tool, always }: AskedGate, note: string | undefined): string => {
  const { name, params, label, because } = gate
  const preview = previewOf(gate)
  return [
    ...(note === undefined ? [] : [note]),
    `May the tool ${tool?.label ?? name} (${name}) run?`,
    ...(label === undefined ? [] : [visibleText(label, { singleLine: true })]),
    `With these parameters:\n${quoted(params === undefined ? "nothing" : shownJson(params, 2))}`,
    ...(preview === undefined || preview === "" ? [] : [`What would happen:\n${quoted(preview)}`]),
    ...(gate.named === undefined ? [] : [`Approvals: ${visibleText(peopleOf(gate), { singleLine: true })}`]),
    `Why it is asked: ${visibleText(because, { singleLine: true })}`,
    ...(always === undefined
      ? []
      : [
          `"always" approves it, and from now on ${always.what}, by a rule:\n${quoted(always.rules.join("\n"))}`,
        ]),
  ].join("\n\n")
}

const decisionsOf = ({ always }: AskedGate): [string, ...Array<string>] =>
  always === undefined ? ["approve", "deny"] : ["approve", "always", "deny"]

/** The form for a client. `note`: shown above the question. */
export const questionForm = (asked: AskedGate, note?: string): ElicitRequestFormParams => ({
  mode: "form",
  message: questionText(asked, note),
  requestedSchema: {
    type: "object",
    properties: {
      decision: {
        type: "string",
        title: "Decision",
        enum: decisionsOf(asked),
        description:
          asked.always === undefined
            ? "Whether the call may run."
            : "Whether the call may run: once, or always, which then holds for the call as it runs.",
      },
      reason: {
        type: "string",
        title: "Reason",
        description: "Told to the model with a denial, and to the tool with an approval.",
      },
      ...(asked.mayEdit && {
        params: {
          type: "string",
          title: "Other parameters",
          description: "JSON of the parameters to run with instead. Leave it empty to run the call as it is.",
        },
      }),
    },
    required: ["decision"],
  },
})

const dismissed = "The user dismissed the question without an answer. Do not try it again unasked."

/** How many characters of an invalid answer are shown. */
const maxShown = 100

const shown = (value: unknown): string => {
  const line = visibleText(`got \`${JSON.stringify(value)}\``, { singleLine: true })
  return line.length <= maxShown ? line : `${line.slice(0, maxShown)}…`
}

const undecided = (asked: AskedGate, decision: unknown): AnswerFault => {
  const names = decisionsOf(asked)
  const list = `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`
  const found = decision === undefined ? "it has none" : shown(decision)
  return {
    about: "decision",
    text: `The answer has to name a decision: \`decision\` must be ${list}, ${found}.`,
  }
}

const noParams: AnswerFault = {
  about: "params",
  text: "The other parameters are no JSON object. Correct them, or leave them empty to run the call as it is.",
}

const noEdit: AnswerFault = {
  about: "params",
  text: "What a preview applies cannot run with other parameters: leave them out, or deny it.",
}

/** The edited parameters; a fault if they are invalid, since the call must not run unedited then. */
const editOf = (given: unknown, mayEdit: boolean): { readonly params?: unknown } | AnswerFault => {
  if (given === undefined || given === null || (typeof given === "string" && given.trim() === "")) return {}
  if (!mayEdit) return noEdit
  try {
    const params: unknown = typeof given === "string" ? JSON.parse(given) : undefined
    return isPlainObject(params) ? { params } : noParams
  } catch {
    return noParams
  }
}

const text = (value: unknown): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? value : undefined

/** Gives a decision. Returns why it did not count, if the gate is still open. */
const give = (
  { executor, gate }: AskedGate,
  decision: { readonly approve: ListedApproval } | { readonly deny: true | string },
  by: string | undefined,
): AnswerFault | undefined => {
  const { callId } = gate
  const list = [{ callId, question: gate, ...decision }]
  const [outcome] = executor.answer(list, by === undefined ? undefined : { by })
  const { took, why = "" } = outcome!
  if (took || executor.inspectCall(callId)?.state !== "waiting") return undefined
  if (gate.named !== true) return { about: "params", text: why }
  if (by !== undefined) return { about: "who", text: why }
  gate.deny(nobodyNamed, unattended)
  return undefined
}

/**
 * Decides a gate by the user's answer. Only a plain `approve` or `always` approves. `by`: the user. Returns why the gate is still open, if
 * it is; a gate that needs more people stays open without a fault.
 */
export const answerGate = (
  asked: AskedGate,
  answer: unknown,
  by: string | undefined,
): AnswerFault | undefined => {
  const { gate } = asked
  if (answer === undefined) return { about: "answer", text: "The question was not answered." }
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: Record<string, unknown> }
  if (action === "decline") {
    gate.deny(undefined, unattended)
    return undefined
  }
  if (action !== "accept") {
    gate.deny(dismissed, unattended)
    return undefined
  }
  const { decision, reason, params } = content ?? {}
  if (typeof decision !== "string" || !decisionsOf(asked).includes(decision))
    return undecided(asked, decision)
  if (decision === "deny") {
    if (by !== undefined) return give(asked, { deny: text(reason) ?? true }, by)
    gate.deny(text(reason), unattended)
    return undefined
  }
  const edit = editOf(params, asked.mayEdit)
  if ("about" in edit) return edit
  const given = text(reason)
  const options = {
    ...(given !== undefined && { reason: given }),
    ...(decision === "always" && { remember: true }),
    ...edit,
  }
  return give(asked, { approve: Object.keys(options).length === 0 || options }, by)
}
