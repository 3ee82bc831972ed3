/** The executor's options: their types and defaults. Times are `"Infinity"` for no limit. */
import type { Tracer as EffectTracer } from "effect/Tracer"
import type { Limit } from "../../limits/limits.ts"
import type { GivenOutput } from "../../output/output.ts"
import type { AllowRule, Explanation, RememberChoice } from "../../policy/index.ts"
import type { ResolveChoice } from "../../resolve/tool-choice.ts"
import type { Tracer } from "../../tracing/tracer.ts"
import type { UndoOptions } from "../../undo/undo-options.ts"
import type { ToolCall } from "./call.ts"
import type { Decision, Reviewer, ReviewQuestion } from "./decision.ts"
import type { ToolResult } from "./event.ts"
import type { EffectOf, HostEffect } from "./host-effect.ts"
import type { DurationInput } from "./step.ts"
import type { PrimaryKind } from "./tool.ts"

/** What the rules say of a call, and why. Plain JSON. */
export type CallExplanation = Explanation

/** What decides without asking. `ToolFilters` is the ready one. */
export interface CallFilter {
  evaluate(tool: FilteredTool, params: unknown): "approve" | "deny" | undefined
  /** What `evaluate` says, `ask` for undefined, and why. With it, gates and denials can say who decided, and why. */
  explain?(tool: FilteredTool, params: unknown): CallExplanation
  /** Adds allow rules that fit the call, of the kind that was chosen; false where none fits it. */
  remember?(tool: FilteredTool, params: unknown, choice?: RememberChoice): boolean
  /** The rules that `remember` would add; undefined where none fits the call. */
  rememberable?(
    tool: FilteredTool,
    params: unknown,
    choice?: RememberChoice,
  ): ReadonlyArray<AllowRule> | undefined
  /** Whether a rule of the tool denies a file that a call found in a folder. */
  deniesPath?(toolName: string, path: string): boolean
  /** Throws a TypeError for rules that can be for none of these tools. Called when an executor is made that has them. */
  expectTools?(tools: ReadonlyArray<string>): void
  /** The same filter for an executor whose relative paths start here. */
  at?(cwd: string): CallFilter
}

/** What a filter sees of a tool. */
export interface FilteredTool {
  readonly name: string
  readonly ruleNames?: ReadonlyArray<string> | undefined
  readonly primaryParam?: string | undefined
  readonly primaryKind: PrimaryKind
  readonly paths?: ((params: unknown) => ReadonlyArray<string>) | undefined
  readonly workingDirParam?: string | undefined
}

/** The call that asks for an effect. */
export interface DelegateCall {
  readonly agentId: string
  readonly callId: string
  /** The call that staged what this one applies or cleans up after; not there for any other call. */
  readonly sourceCallId?: string
  /** Aborted when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

// biome-ignore lint/suspicious/noConfusingVoidType: what does not answer returns nothing.
type DelegateAnswer = GivenOutput | undefined | void

/**
 * Answers the effects of a tag: an output, its text, or nothing. What it throws fails the effect with that
 * message.
 */
export type DelegateFunction<Tag extends string> = (
  effect: EffectOf<Tag>,
  call: DelegateCall,
) => DelegateAnswer | Promise<DelegateAnswer>

/** A function for an effect of a host's own. Declared as a method, so that it may name the effect's own type. */
type CustomDelegate = {
  answer(effect: HostEffect, call: DelegateCall): DelegateAnswer | Promise<DelegateAnswer>
}["answer"]

/** Functions that answer effects instead of events, by the effect's tag. A throw fails the effect. */
export interface Delegates {
  readonly IdeOpen?: DelegateFunction<"IdeOpen">
  readonly IdeShowPreview?: DelegateFunction<"IdeShowPreview">
  readonly IdeShowDiffPreview?: DelegateFunction<"IdeShowDiffPreview">
  readonly IdeReloadBuffer?: DelegateFunction<"IdeReloadBuffer">
  readonly IdeClosePreview?: DelegateFunction<"IdeClosePreview">
  readonly IdeCheckUnsavedEdits?: DelegateFunction<"IdeCheckUnsavedEdits">
  readonly SpawnAgent?: DelegateFunction<"SpawnAgent">
  readonly ListAgents?: DelegateFunction<"ListAgents">
  readonly GetAgent?: DelegateFunction<"GetAgent">
  readonly [tag: string]: CustomDelegate | undefined
}

/** The function that answers the effects of a tag, where there is one. */
export const delegateOf = (delegates: Delegates, tag: string): DelegateFunction<string> | undefined =>
  Object.hasOwn(delegates, tag)
    ? ((delegates[tag] ?? undefined) as DelegateFunction<string> | undefined)
    : undefined

/** What a hook is given beside the call. */
export interface HookContext {
  /** Aborted when the call is cancelled or runs out of time while the hook runs. */
  readonly signal: AbortSignal
}

/** What `beforeCall` may answer. Changed parameters are validated again. */
export type BeforeCall =
  | { readonly block: boolean; readonly reason?: string }
  | { readonly params: unknown }
  | undefined

/** What `afterCall` may answer: what changes of the result, or all of it. */
export interface AfterCall {
  /** The new output; `content` follows from it. */
  readonly output?: GivenOutput
  /** The new text, in place of whatever the output holds but its details. */
  readonly content?: string
  readonly isError?: boolean
}

/** Functions of the host's own around every call. */
export interface Hooks {
  /** Runs before a call is composed, also with edited parameters. A throw blocks the call. */
  readonly beforeCall?: (
    call: ToolCall,
    context: HookContext,
  ) => BeforeCall | Promise<BeforeCall | undefined> | undefined
  /** Runs after a call completed or failed and was cleaned up. A throw leaves the result as it was. */
  readonly afterCall?: (
    call: ToolCall,
    result: ToolResult,
    context: HookContext,
  ) => AfterCall | Promise<AfterCall | undefined> | undefined
}

/**
 * The options of an executor. Lengths of time are milliseconds or such as `"5 seconds"`. Invalid values are a
 * TypeError.
 */
export interface ToolExecutorOptions {
  /** Where relative paths start. Default: the process's. */
  readonly cwd?: string
  /** A folder that file tools must stay in, links resolved. Default: no bound. */
  readonly workspace?: string | undefined
  /** What is approved or denied without asking. Default: nothing. */
  readonly filters?: CallFilter | undefined
  /**
   * Asked in order at a gate that no rule passes, before the host: the first that approves or denies decides. While one
   * thinks, the host's answers do not take effect; a cancel and `approvalTimeout` do. Default: none.
   */
  readonly reviewers?: ReadonlyArray<Reviewer>
  /** Effects that functions answer instead of events. Default: none. */
  readonly delegates?: Delegates
  /** Background pipelines that run at once; those that wait do not count. Default 64. */
  readonly backgroundConcurrency?: number
  /** Bounds the calls of some tools: how many at once, in a time, in a turn, of an agent. Default: none. */
  readonly limits?: ReadonlyArray<Limit> | undefined
  /** Running time of a foreground call, waiting for the host not counted. Default 10 minutes; `"Infinity"` for none. */
  readonly callTimeout?: DurationInput | undefined
  /**
   * After this running time a foreground call continues as a background task by itself, where its tool may. Default: never.
   */
  readonly backgroundAfter?: DurationInput | undefined
  /** The same as `callTimeout` for background tasks. Default: none. */
  readonly taskTimeout?: DurationInput | undefined
  /** How long a gate waits. Default: for ever. */
  readonly approvalTimeout?: DurationInput | undefined
  /**
   * Called when the time of a gate with `onTimeout: "escalate"` is over, to ask further: the gate waits as long once more. If it fails, a
   * process warning says so. In a store it is called once, also across restarts.
   */
  readonly onEscalate?: ((question: ReviewQuestion) => unknown) | undefined
  /** How long the host may take to answer an effect. Default 30 seconds; `"Infinity"` for ever. */
  readonly delegateTimeout?: DurationInput | undefined
  /**
   * How long a handler that awaits its deltas waits for a reader that has no room. The time does not count for `callTimeout`.
   * Default: for ever.
   */
  readonly consumerTimeout?: DurationInput | undefined
  /** The time of each finally handler, of `afterCall`, and of a cancelled Effect's finalizers. Default 5 seconds. */
  readonly finallyTimeout?: DurationInput | undefined
  /** How long an uncollected background result is kept. Default 1 hour. */
  readonly taskTtl?: DurationInput | undefined
  /** Finished background results kept. Default 1000. */
  readonly maxTasks?: number
  /** Pending actions an agent may have; staging one more is an Error. Default 100. */
  readonly maxPendingActions?: number
  /** Undelivered deltas before a handler's `delta` waits. Default 1024. */
  readonly eventBuffer?: number
  /** Bytes of undelivered deltas before a handler's `delta` waits. Default 8 MiB. */
  readonly eventBufferBytes?: number
  /**
   * What a result gives the model at most, in bytes of UTF-8: of a longer text its start and its end, and other blocks where they fit.
   * The whole text is kept, and the tool `read_result` reads it on. A tool may have a limit of its own. `false` for none. Default
   * 50,000; tools that cut their outputs themselves are then left to do so.
   */
  readonly maxOutputBytes?: number | false
  /**
   * How much of what calls have changed is kept, so that `undo` can take it back: former contents in a folder of the user's state, each
   * once. `false` for nothing. Default 200 MB and 30 days.
   */
  readonly undo?: UndoOptions | false | undefined
  /**
   * Calls of tools with `annotations.readOnly` share the turn of their lane: those that follow each other run together, the
   * next other call waits for them, and they for it. Default false.
   */
  readonly parallelReads?: boolean
  /** How the model is brought to resolve a preview: see `toolChoice`. Default `"soft"`. */
  readonly resolveChoice?: ResolveChoice
  readonly hooks?: Hooks
  /** Told each decision about a call, such as `add` of a `DecisionLog`. What it throws is left alone. Default: nobody. */
  readonly onDecision?: (decision: Decision) => void
  /**
   * A tracer of calls, their handlers and their waits, such as `otelTracer()` of `stepline/otel`. One of Effect has spans
   * `tool <name>`, `handler <name>` and `wait <what>`; true is that of the program that the executor lives in. Default false.
   */
  readonly trace?: boolean | Tracer | EffectTracer
}
