/** One call of a tool, as a host enqueues it and as handlers see it. */
import type { NamedTool, ToolInput, ToolTypes } from "./tool-types.ts"

/**
 * `pending` asks at the gate; `approve` passes the host's gates of this call; `deny` ends it with nothing run;
 * `requested` holds it in its lane, with no event, until it is approved or denied.
 */
export type ToolDecision = "pending" | "requested" | "approve" | "deny"

/**
 * One call, its defaults filled in: what handlers, hooks and filters see. `params` are the validated ones once it
 * runs.
 */
export interface ToolCall {
  readonly agentId: string
  readonly callId: string
  readonly name: string
  readonly params: unknown
  readonly decision: ToolDecision
  readonly background: boolean
  /** Where it takes turns. Not there: in its agent's own lane. */
  readonly lane?: string
  /** Where background calls wait for a place, those with a higher one go first. Not there: 0. */
  readonly priority?: number
  /** What its host put into it. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** What `enqueue` takes: only the name is owed. */
export interface ToolCallInput {
  /** Default `"main"`. */
  readonly agentId?: string
  /** Default: generated. */
  readonly callId?: string
  readonly name: string
  /** Default `{}`. */
  readonly params?: unknown
  /** Default `"pending"`. */
  readonly decision?: ToolDecision
  /** Default false, unless the parameters hold `background: true`. */
  readonly background?: boolean
  /** Foreground calls of one lane run one at a time, in order. Default: the agent's id. */
  readonly lane?: string
  /**
   * Of the background calls that wait for a place, those with a higher one go first. A finite number; it means nothing to
   * foreground calls. Default 0.
   */
  readonly priority?: number
  /** The host's own, for its hooks and handlers: `call.meta`, `context.meta`. Plain JSON, where snapshots are taken. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** The parameters of a call may say that it runs in the background, unless that means something else to the tool. */
type OrBackground<Input> = unknown extends Input
  ? unknown
  : "background" extends keyof Input
    ? Input
    : Input & { readonly background?: boolean }

/** Parameters whose names are not known are the model's, of whatever type. */
type ParamsInput<Input> = string extends keyof Input
  ? { readonly params?: unknown }
  : Record<never, never> extends Input
    ? { readonly params?: OrBackground<Input> }
    : { readonly params: OrBackground<Input> }

/** What `run` takes: a call whose parameters are checked against the tool of this name, where the types know one. */
export type CallOf<T extends ToolTypes, Name extends string> = { readonly name: Name } & ([
  NamedTool<T, Name>,
] extends [never]
  ? ToolCallInput
  : Omit<ToolCallInput, "name" | "params"> & ParamsInput<ToolInput<NamedTool<T, Name>>>)
