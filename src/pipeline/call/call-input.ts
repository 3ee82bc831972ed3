/** Turns what a host enqueues into a ToolCall. A wrong shape is the host's mistake and throws; `params` are the model's. */
import type { ToolCall, ToolCallInput, ToolDecision } from "../model/call.ts"
import { got } from "../model/got.ts"
import { ownsBackground } from "../model/registry.ts"
import type { Tool } from "../model/tool.ts"

const decisions: ReadonlySet<unknown> = new Set<ToolDecision>(["pending", "requested", "approve", "deny"])

/**
 * Ids for calls that bring none: unique in this process, and short enough for a model to repeat. Those of a store have to be
 * unique among all processes that ever have it.
 */
export class CallIds {
  private static executors = 0
  private readonly kind: string
  private readonly digits: number
  /** Made with the first id. */
  private prefix: string | undefined
  private count = 0

  constructor(kind: string, isStored = false) {
    this.kind = kind
    this.digits = isStored ? 9 : 4
  }

  next(): string {
    this.count += 1
    this.prefix ??= this.makePrefix()
    return this.prefix + this.count
  }

  private makePrefix(): string {
    CallIds.executors += 1
    const random = Math.floor(Math.random() * 36 ** this.digits)
    return `${this.kind}_${random.toString(36).padStart(this.digits, "0")}${CallIds.executors}_`
  }
}

/** Fills in the defaults of a call, and a made-up id where there is none. Throws a TypeError for what is no call. */
export const toToolCall = (input: ToolCallInput, ids: CallIds): ToolCall => {
  if (typeof input !== "object" || input === null)
    throw new TypeError(`Expected a call to be an object, ${got(input)}`)
  const {
    agentId = "main",
    callId = ids.next(),
    name,
    params = {},
    decision = "pending",
    background = false,
    lane,
    priority,
    meta,
  } = input
  if (typeof name !== "string")
    throw new TypeError(`Expected \`name\` of a call to be a string, ${got(name)}`)
  if (typeof agentId !== "string")
    throw new TypeError(`Expected \`agentId\` of a call to be a string, ${got(agentId)}`)
  if (typeof callId !== "string" || callId === "") {
    throw new TypeError(`Expected \`callId\` of a call to be a string that is not empty, ${got(callId)}`)
  }
  if (decision !== "pending" && decision !== "approve" && !decisions.has(decision)) {
    throw new TypeError(
      `Expected \`decision\` of a call to be pending, requested, approve or deny, ${got(decision)}`,
    )
  }
  if (lane !== undefined && typeof lane !== "string")
    throw new TypeError(`Expected \`lane\` of a call to be a string, ${got(lane)}`)
  if (priority !== undefined && !Number.isFinite(priority))
    throw new TypeError(`Expected \`priority\` of a call to be a finite number, ${got(priority)}`)
  if (meta !== undefined && (typeof meta !== "object" || meta === null || Array.isArray(meta)))
    throw new TypeError(`Expected \`meta\` of a call to be an object, ${got(meta)}`)
  const call = { agentId, callId, name, params, decision, background: background === true }
  if (lane === undefined && priority === undefined && meta === undefined) return call
  return {
    ...call,
    ...(lane !== undefined && { lane }),
    ...(priority !== undefined && { priority }),
    ...(meta !== undefined && { meta }),
  }
}

/** Whether `background` among the parameters is the call's own: no property of the tool's schema. */
const isTheCalls = (params: unknown, tool: Tool<unknown> | undefined): params is Record<string, unknown> =>
  typeof params === "object" &&
  params !== null &&
  Object.hasOwn(params, "background") &&
  tool !== undefined &&
  !ownsBackground(tool)

/** The parameters without `background`, where that is the call's own. */
export const withoutBackground = (params: unknown, tool: Tool<unknown> | undefined): unknown => {
  try {
    if (!isTheCalls(params, tool)) return params
    const { background: _, ...rest } = params
    return rest
  } catch {
    // What cannot be read is left to the validation, which says so.
    return params
  }
}

/** The call as `background` among its parameters makes it. */
export const withBackground = (call: ToolCall, tool: Tool<unknown> | undefined): ToolCall => {
  try {
    if (!isTheCalls(call.params, tool)) return call
    const { background, ...params } = call.params
    return { ...call, params, background: call.background || background === true || background === "true" }
  } catch {
    // As above: of the calls that were enqueued together, one must not end the others.
    return call
  }
}
