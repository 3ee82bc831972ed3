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
  /** The turn that the call counts in, for limits. Absent: that of the calls that it was enqueued with. */
  readonly turn?: string
  /** Among background calls that wait for a place, those with a higher priority go first. Absent: 0. */
  readonly priority?: number
  /** Set if the model's answer with this call was cut at its token limit: the call ends as an Error, and nothing of it runs. */
  readonly truncated?: true
  /** Of a call of `resolve`: the person who decides on the preview. */
  readonly by?: string
  /** Of a nested call: the id of its outer call, whose handler made it with `context.call`. */
  readonly parentId?: string
  /** Of a nested call: what its handler calls it. Gates without a label of their own show it. */
  readonly label?: string
  /** Of a nested call: it is asked about at once, and runs when its turn comes. Its handler gave the option `after`. */
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
  /** The turn of the model that the call counts in, for limits `perTurn`. Default: calls that are enqueued together are one turn. */
  readonly turn?: string
  /**
   * Among background calls that wait for a place, those with a higher priority go first. A finite number; foreground calls ignore it.
   * Default 0.
   */
  readonly priority?: number
  /** Of a call of `resolve` that a person makes: who decides on the preview, for `decidedBy`. Default: nobody with a name. */
  readonly by?: string
  /**
   * Whether the model's answer with this call was cut at its token limit. If so, the call ends as an Error with the reason `truncated`,
   * and nothing of it runs, whatever its `decision`. Default false.
   */
  readonly truncated?: boolean
  /**
   * The host's own data for its hooks and handlers: `call.meta`, `context.meta`. Has to be plain JSON for snapshots. Where it has a W3C
   * `traceparent`, the call's span is a child of the span that this names.
   */
  readonly meta?: Readonly<Record<string, unknown>>
}

/** What a host says of all the calls of a list. */
export interface EnqueueOptions {
  /**
   * Whether the model's answer was cut at its token limit. If so, each call ends as an Error with the reason `truncated`, and nothing
   * runs. Default false.
   */
  readonly truncated?: boolean | undefined
}

/** The parameters of a call may say that it runs in the background, unless that means something else to the tool. */
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
