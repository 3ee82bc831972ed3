/** One call of a tool, as a host enqueues it and as handlers see it. */
import type { NamedTool, ToolInput, ToolTypes } from "./tool-types.ts"

/**
 * `pending`: gates ask. `approve`: the call passes its gates. `deny`: the call ends before any handler runs. `requested`: the call is
 * held in its lane, without an event, until it is approved or denied.
 */
export type ToolDecision = "pending" | "requested" | "approve" | "deny"

/**
 * One call with its defaults filled in, as handlers, hooks and filters see it. Once the call runs, `params` are validated.
 */
export interface ToolCall {
  readonly agentId: string
  readonly callId: string
  readonly name: string
  readonly params: unknown
  readonly decision: ToolDecision
  readonly background: boolean
  /** The lane of the call. Absent: the lane of its agent. */
  readonly lane?: string
  /** The turn that the call belongs to, for limits. Absent: the turn of the calls that it was enqueued with. */
  readonly turn?: string
  /** A background call with a higher priority gets a place first. Absent: 0. */
  readonly priority?: number
  /** Set if the model's answer with this call was cut at its token limit: the call ends as an Error, and no part of it runs. */
  readonly truncated?: true
  /** For a call of `resolve`: the person who decides on the preview. */
  readonly by?: string
  /** For a nested call: the id of its outer call, whose handler made it with `context.call`. */
  readonly parentId?: string
  /** For a nested call: the label that its handler gave it, shown at gates that have no label. */
  readonly label?: string
  /** For a nested call: its gates ask at once, and it runs when its turn comes. Set if its handler passed the option `after`. */
  readonly planned?: true
  /** The host's own data. */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** The input of `enqueue`. Only the name is required. */
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
  /** The model's turn that the call belongs to, for `perTurn` limits. Default: calls that are enqueued together are one turn. */
  readonly turn?: string
  /** A background call with a higher priority gets a place first. A finite number; foreground calls ignore it. Default 0. */
  readonly priority?: number
  /** For a call of `resolve` that a person makes: the person who decides, reported as `decidedBy`. Default: no name. */
  readonly by?: string
  /**
   * Whether the model's answer with this call was cut at its token limit. If so, the call ends as an Error with the reason
   * `truncated`, and no part of it runs, whatever its `decision`. Default false.
   */
  readonly truncated?: boolean
  /**
   * The host's own data for its hooks and handlers: `call.meta`, `context.meta`. Must be plain JSON for snapshots. If it has a
   * W3C `traceparent`, the call's span is a child of that span.
   */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** Options for all calls of a list. */
export interface EnqueueOptions {
  /**
   * Whether the model's answer was cut at its token limit. If so, each call ends as an Error with the reason `truncated`, and nothing
   * runs. Default false.
   */
  readonly truncated?: boolean | undefined
}

/** Adds `background` to the parameters, unless the tool has its own parameter of that name. */
type OrBackground<Input> = unknown extends Input
  ? unknown
  : "background" extends keyof Input
    ? Input
    : Input & { readonly background?: boolean }

/** Parameters of unknown names, with values of any type. */
type ParamsInput<Input> = string extends keyof Input
  ? { readonly params?: unknown }
  : Record<never, never> extends Input
    ? { readonly params?: OrBackground<Input> }
    : { readonly params: OrBackground<Input> }

/** The input of `run`. Its parameters are checked against the type of the tool with this name, if the types know the tool. */
export type CallOf<T extends ToolTypes, Name extends string> = { readonly name: Name } & ([
  NamedTool<T, Name>,
] extends [never]
  ? ToolCallInput
  : Omit<ToolCallInput, "name" | "params"> & ParamsInput<ToolInput<NamedTool<T, Name>>>)
