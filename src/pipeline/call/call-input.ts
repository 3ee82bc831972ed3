/** Turns the host's input into a ToolCall. A wrong shape is the host's mistake and throws. `params` come from the model and are
 * validated later. */
import type { EnqueueOptions, ToolCall, ToolCallInput, ToolDecision } from "../../model/call.ts"
import { expectBy, expectFlag, expectOptions, got } from "../../model/got.ts"
import { ownsBackground } from "../../model/registry.ts"
import type { Tool } from "../../model/tool.ts"

const decisions: ReadonlySet<unknown> = new Set<ToolDecision>(["pending", "requested", "approve", "deny"])

/**
 * Ids for calls without one: unique in this process, and short enough for a model to repeat. Ids of stored calls are longer: they
 * have to be unique among all processes that ever open the store.
 */
export class CallIds {
  private static executors = 0
  private readonly kind: string
  private readonly digits: number
  /** Created with the first id. */
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

/** Applies the options to each of the calls. Throws a TypeError for anything but a list of calls, and for invalid options. */
export const toldOf = <C extends Partial<ToolCallInput>>(
  method: string,
  calls: ReadonlyArray<C>,
  options: EnqueueOptions | undefined,
): ReadonlyArray<C> => {
  if (!Array.isArray(calls)) throw new TypeError(`Expected \`${method}\` to be given an array of calls`)
  expectOptions(method, options, ["truncated"])
  expectFlag("truncated", options?.truncated)
  return options?.truncated === true ? calls.map((call) => ({ ...call, truncated: true })) : calls
}

/** Fills in the defaults of a call, and generates a missing id. Throws a TypeError for an invalid call. */
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
    turn,
    by,
    priority,
    truncated,
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
  if (turn !== undefined && typeof turn !== "string")
    throw new TypeError(`Expected \`turn\` of a call to be a string, ${got(turn)}`)
  if (by !== undefined) expectBy(by)
  if (priority !== undefined && !Number.isFinite(priority))
    throw new TypeError(`Expected \`priority\` of a call to be a finite number, ${got(priority)}`)
  if (truncated !== undefined) expectFlag("truncated", truncated, " of a call")
  if (meta !== undefined && (typeof meta !== "object" || meta === null || Array.isArray(meta)))
    throw new TypeError(`Expected \`meta\` of a call to be an object, ${got(meta)}`)
  const call = { agentId, callId, name, params, decision, background: background === true }
  const isPlain = lane === undefined && turn === undefined && by === undefined && priority === undefined
  if (isPlain && meta === undefined && !truncated) return call
  return {
    ...call,
    ...(lane !== undefined && { lane }),
    ...(turn !== undefined && { turn }),
    ...(by !== undefined && { by }),
    ...(priority !== undefined && { priority }),
    ...(meta !== undefined && { meta }),
    // A truncated call never waits for a decision.
    ...(truncated && { truncated, decision: "deny" as const }),
  }
}

/** Whether `background` among the parameters belongs to the call, because the tool's schema has no such property. */
const isTheCalls = (params: unknown, tool: Tool<unknown> | undefined): params is Record<string, unknown> =>
  typeof params === "object" &&
  params !== null &&
  Object.hasOwn(params, "background") &&
  tool !== undefined &&
  !ownsBackground(tool)

/** The parameters without `background`, if that belongs to the call. */
export const withoutBackground = (params: unknown, tool: Tool<unknown> | undefined): unknown => {
  try {
    if (!isTheCalls(params, tool)) return params
    const { background: _, ...rest } = params
    return rest
  } catch {
    // A getter threw: the validation reports unreadable parameters.
    return params
  }
}

/** The call with `background` moved from its parameters to the call. */
export const withBackground = (call: ToolCall, tool: Tool<unknown> | undefined): ToolCall => {
  try {
    if (!isTheCalls(call.params, tool)) return call
    const { background, ...params } = call.params
    return { ...call, params, background: call.background || background === true || background === "true" }
  } catch {
    // As above: one unreadable call must not fail the calls that are enqueued with it.
    return call
  }
}
