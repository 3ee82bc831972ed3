/** The questions of a call to its MCP client: requests by key, answered together or one by one. */
import { randomUUID } from "node:crypto"
import type { ClientCapabilities, InputRequest } from "@modelcontextprotocol/server"
import { type DelegateEvent, unattended } from "../../model/event.ts"
import { isPlainObject } from "../../schema/plain-object.ts"
import { type AnswerFault, type AskedGate, answerGate, questionForm } from "./question.ts"

/** Requests to a client, by keys that the asker chooses. */
export type InputRequests = Readonly<Record<string, InputRequest>>

/** The answers of a client, by key, unchecked. */
export type InputResponses = Readonly<Record<string, unknown>>

/** An open question. */
export interface ClientQuestion {
  readonly requests: InputRequests
  /** Takes answers, and returns the question that is left; undefined once everything is answered. `by`: who answers. */
  answer(responses: InputResponses | undefined, by?: string): ClientQuestion | undefined
  /** Ends the question without an answer. */
  refuse(reason: string): void
}

/**
 * An effect that the client of an MCP server answers: a tool asks its user (`elicitation/create`), its model
 * (`sampling/createMessage`) or for its folders (`roots/list`). The answer's `structured` holds the responses by key, unchecked.
 * A request that the client does not declare is not sent and has no response. The effect fails if no request is left; if the
 * call fails by that, the client is told which capability it lacks.
 *
 * @example
 * const { structured } = await context.delegate({ _tag: "McpInput", requests: { where: { method: "roots/list" } } }, { timeout: "10 minutes" })
 */
export interface McpInput {
  readonly _tag: "McpInput"
  readonly requests: InputRequests
}

/** The answers of a client of the revision 2025-11-25, which receives requests of the server. Rejects with the first that fails. */
export const answersOf = async (
  requests: InputRequests,
  send: (request: InputRequest) => Promise<unknown>,
): Promise<InputResponses> => {
  const asked = Object.entries(requests).map(async ([key, request]) => [key, await send(onWire(request))])
  return Object.fromEntries(await Promise.all(asked))
}

/** In that revision, each page that a user is referred to has an id. */
const onWire = (request: InputRequest): InputRequest =>
  request.method === "elicitation/create" && request.params.mode === "url"
    ? {
        ...request,
        params: { ...request.params, elicitationId: request.params.elicitationId ?? randomUUID() },
      }
    : request

const approvalKey = "approval"

const unusable = ({ text }: AnswerFault): string =>
  `The answer of this MCP client could not be used, also when it was asked again. ${text} The call was denied, and did not run.`

/** A gate as a form. Each kind of fault allows one retry: a client could send the same fault forever. */
export const gateQuestion = (asked: AskedGate, faults: ReadonlyArray<AnswerFault> = []): ClientQuestion => ({
  requests: {
    [approvalKey]: { method: "elicitation/create", params: questionForm(asked, faults.at(-1)?.text) },
  },
  answer(responses, by) {
    const fault = answerGate(asked, responses?.[approvalKey], by)
    if (fault === undefined) return undefined
    if (!faults.some(({ about }) => about === fault.about)) return gateQuestion(asked, [...faults, fault])
    asked.gate.deny(unusable(fault), unattended)
    return undefined
  },
  refuse: (reason) => void asked.gate.deny(reason, unattended),
})

/** The question of a tool itself. */
const inputQuestion = (
  event: DelegateEvent,
  requests: InputRequests,
  given: InputResponses = {},
): ClientQuestion => ({
  requests,
  answer(responses = {}) {
    const answered = { ...given }
    const rest: Record<string, InputRequest> = {}
    for (const [key, request] of Object.entries(requests)) {
      const response = Object.hasOwn(responses, key) ? responses[key] : undefined
      if (typeof response === "object" && response !== null) answered[key] = response
      else rest[key] = request
    }
    if (Object.keys(rest).length > 0) return inputQuestion(event, rest, answered)
    event.succeed({ content: [], structured: answered })
    return undefined
  },
  refuse: (reason) => void event.fail(reason),
})

/** Whether the client shows its user forms. */
export const showsForms = ({ elicitation }: ClientCapabilities = {}): boolean =>
  elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)

/** The capability that a client has to declare for a request. */
const capabilityFor = (request: InputRequest): ClientCapabilities => {
  switch (request.method) {
    case "sampling/createMessage":
      return { sampling: {} }
    case "roots/list":
      return { roots: {} }
    default:
      return { elicitation: request.params?.mode === "url" ? { url: {} } : { form: {} } }
  }
}

const canAnswer = (request: InputRequest, capabilities: ClientCapabilities = {}): boolean => {
  const { sampling, roots, elicitation } = capabilityFor(request)
  if (sampling !== undefined) return capabilities.sampling !== undefined
  if (roots !== undefined) return capabilities.roots !== undefined
  return elicitation?.url === undefined
    ? showsForms(capabilities)
    : capabilities.elicitation?.url !== undefined
}

const isRequest = (request: unknown): boolean => {
  if (!isPlainObject(request)) return false
  const { method, params } = request
  return (
    method === "roots/list" ||
    ((method === "elicitation/create" || method === "sampling/createMessage") && isPlainObject(params))
  )
}

/** Whether the client answers an effect. */
export const isInput = ({ effect }: DelegateEvent): boolean => effect._tag === "McpInput"

/**
 * The question of such an effect. If the client can answer nothing of it, the effect fails with the capabilities it would need;
 * if a request is malformed, with none.
 */
export const questionOfInput = (
  event: DelegateEvent,
  capabilities: ClientCapabilities | undefined,
): ClientQuestion | { readonly missing: ClientCapabilities | undefined } => {
  const all = Object.entries((event.effect as Partial<McpInput>).requests ?? {})
  const malformed = all.find(([, request]) => !isRequest(request))
  if (malformed !== undefined) {
    event.fail(
      `Expected each request of \`McpInput\` to be { method, params } with the method elicitation/create, sampling/createMessage or roots/list: \`${malformed[0]}\` is not`,
    )
    return { missing: undefined }
  }
  const asked = all.filter(([, request]) => canAnswer(request, capabilities))
  if (asked.length > 0) return inputQuestion(event, Object.fromEntries(asked))
  const methods = all.map(([, { method }]) => method).join(", ") || "a question without requests"
  event.fail(`This MCP client cannot answer ${methods}: it does not declare that it can`)
  return { missing: Object.assign({}, ...all.map(([, request]) => capabilityFor(request))) }
}
