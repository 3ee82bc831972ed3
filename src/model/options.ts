/** The executor's options: their types and defaults. `"Infinity"` as a time means no limit. */
import type { Tracer as EffectTracer } from "effect/Tracer"
import type { Limit } from "../limits/limits.ts"
import type { GivenOutput } from "../output/output.ts"
import type { AllowRule, Explanation, RememberChoice } from "../policy/index.ts"
import type { ResolveChoice } from "../resolve/tool-choice.ts"
import type { Tracer } from "../tracing/tracer.ts"
import type { UndoOptions } from "../undo/undo-options.ts"
import type { ToolCall } from "./call.ts"
import type { Decision, Reviewer, ReviewQuestion } from "./decision.ts"
import type { ToolResult } from "./event.ts"
import type { EffectOf, HostEffect } from "./host-effect.ts"
import type { DurationInput } from "./step.ts"
import type { PrimaryKind } from "./tool.ts"

/** The verdict of the rules on a call, and its reason. Plain JSON. */
export type CallExplanation = Explanation

/** Decides calls without asking. `ToolFilters` is the built-in implementation. */
export interface CallFilter {
  evaluate(tool: FilteredTool, params: unknown): "approve" | "deny" | undefined
  /** The verdict of `evaluate`, with `ask` for undefined. Lets gates and denials report who decided, and why. */
  explain?(tool: FilteredTool, params: unknown): CallExplanation
  /** Adds allow rules of the chosen kind that fit the call. Returns false if none fits the call. */
  remember?(tool: FilteredTool, params: unknown, choice?: RememberChoice): boolean
  /** The rules that `remember` would add; undefined if none fits the call. */
  rememberable?(
    tool: FilteredTool,
    params: unknown,
    choice?: RememberChoice,
  ): ReadonlyArray<AllowRule> | undefined
  /** Whether a rule of the tool denies a file that a call found in a folder. */
  deniesPath?(toolName: string, path: string): boolean
  /** Throws a TypeError for rules that apply to none of these tools. Called when an executor with these tools is created. */
  expectTools?(tools: ReadonlyArray<string>): void
  /** The same filter for an executor whose relative paths start in this folder. */
  at?(cwd: string): CallFilter
}

/** The parts of a tool that a filter reads. */
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
  /** The call that staged the action which this call applies or cleans up after; absent for any other call. */
  readonly sourceCallId?: string
  /** Aborted when the answer is no longer needed. */
  readonly signal: AbortSignal
}

// biome-ignore lint/suspicious/noConfusingVoidType: what does not answer returns nothing.
type DelegateAnswer = GivenOutput | undefined | void

/**
 * Answers the effects with a tag. Returns an output, its text, or nothing. An error that it throws fails the effect with
 * that message.
 */
export type DelegateFunction<Tag extends string> = (
  effect: EffectOf<Tag>,
  call: DelegateCall,
) => DelegateAnswer | Promise<DelegateAnswer>

/** A function for a host's own effect. Declared as a method, so that it may name the effect's own type. */
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

/** The function that answers the effects with a tag, if there is one. */
export const delegateOf = (delegates: Delegates, tag: string): DelegateFunction<string> | undefined =>
  Object.hasOwn(delegates, tag)
    ? ((delegates[tag] ?? undefined) as DelegateFunction<string> | undefined)
    : undefined

/** The second argument of a hook, after the call. */
export interface HookContext {
  /** Aborted when the call is cancelled or runs out of time while the hook runs. */
  readonly signal: AbortSignal
}

/** The result of `beforeCall`. Changed parameters are validated again. */
export type BeforeCall =
  | { readonly block: boolean; readonly reason?: string }
  | { readonly params: unknown }
  | undefined

/** The result of `afterCall`: the changed properties of the result, or the whole result. */
export interface AfterCall {
  /** The new output; `content` is derived from it. */
  readonly output?: GivenOutput
  /** The new text, which replaces everything in the output but its details. */
  readonly content?: string
  readonly isError?: boolean
}

/** Functions of the host that run around every call. */
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

/** The options of an executor. Durations are milliseconds or strings such as `"5 seconds"`. Invalid values are a TypeError. */
export interface ToolExecutorOptions {
  /** The folder that relative paths start in. Default: the process's. */
  readonly cwd?: string
  /** A folder that file tools must stay in, links resolved. Default: no restriction. */
  readonly workspace?: string | undefined
  /** The rules that approve or deny without asking. Default: none. */
  readonly filters?: CallFilter | undefined
  /**
   * Asked in order at a gate that no rule passes, before the host: the first that approves or denies decides. While a
   * reviewer runs, the host's answers do not take effect; a cancel and `approvalTimeout` do. Default: none.
   */
  readonly reviewers?: ReadonlyArray<Reviewer>
  /** Functions that answer effects in place of events. Default: none. */
  readonly delegates?: Delegates
  /** The number of background pipelines that run at once; waiting ones do not count. Default 64. */
  readonly backgroundConcurrency?: number
  /** Limits on the calls of some tools: how many at once, in a time, in a turn or by an agent. Default: none. */
  readonly limits?: ReadonlyArray<Limit> | undefined
  /**
   * The running time of a foreground call, without the time that it waits for the host. Default 10 minutes; `"Infinity"`
   * for no limit.
   */
  readonly callTimeout?: DurationInput | undefined
  /** The running time after which a foreground call continues as a background task, if its tool allows it. Default: never. */
  readonly backgroundAfter?: DurationInput | undefined
  /** The same as `callTimeout` for background tasks. Default: no limit. */
  readonly taskTimeout?: DurationInput | undefined
  /** How long a gate waits. Default: without limit. */
  readonly approvalTimeout?: DurationInput | undefined
  /**
   * Called when the time of a gate with `onTimeout: "escalate"` is over, to ask somebody else: the gate waits for the same time
   * again. A failure emits a process warning. With a store it is called once, also across restarts.
   */
  readonly onEscalate?: ((question: ReviewQuestion) => unknown) | undefined
  /** How long the host may take to answer an effect. Default 30 seconds; `"Infinity"` for no limit. */
  readonly delegateTimeout?: DurationInput | undefined
  /**
   * How long a handler that awaits its deltas waits while its reader has no room. This time does not count for `callTimeout`.
   * Default: without limit.
   */
  readonly consumerTimeout?: DurationInput | undefined
  /** The time limit of each finally handler, of `afterCall`, and of the finalizers of a cancelled Effect. Default 5 seconds. */
  readonly finallyTimeout?: DurationInput | undefined
  /** How long an uncollected background result is kept. Default 1 hour. */
  readonly taskTtl?: DurationInput | undefined
  /** The number of finished background results that are kept. Default 1000. */
  readonly maxTasks?: number
  /** The number of pending actions that an agent may have; staging one more is an Error. Default 100. */
  readonly maxPendingActions?: number
  /** The number of undelivered deltas before a handler's `delta` waits. Default 1024. */
  readonly eventBuffer?: number
  /** The bytes of undelivered deltas before a handler's `delta` waits. Default 8 MiB. */
  readonly eventBufferBytes?: number
  /**
   * The largest result that the model receives, in bytes of UTF-8: of a longer text its start and its end, and other blocks if
   * they fit. The full text is kept, and the tool `read_result` reads the rest. A tool may have its own limit. `false` for no
   * limit. Default 50,000, except for tools that cut their outputs themselves.
   */
  readonly maxOutputBytes?: number | false
  /**
   * How many changes of calls are kept, so that `undo` can take them back: former contents in a folder of the user's state, each
   * stored once. `false` for none. Default 200 MB and 30 days.
   */
  readonly undo?: UndoOptions | false | undefined
  /**
   * Whether consecutive calls of tools with `annotations.readOnly` share the turn of their lane: they run together, the
   * next other call waits for them, and they for it. Default false.
   */
  readonly parallelReads?: boolean
  /** How the model is made to resolve a preview: see `toolChoice`. Default `"soft"`. */
  readonly resolveChoice?: ResolveChoice
  readonly hooks?: Hooks
  /**
   * Called with each decision about a call, for example `add` of a `DecisionLog`. Errors that it throws are ignored.
   * Default: none.
   */
  readonly onDecision?: (decision: Decision) => void
  /**
   * A tracer of calls, their handlers and their waits, such as `otelTracer()` of `stepline/otel`. A tracer of Effect gets the
   * spans `tool <name>`, `handler <name>` and `wait <what>`; true is the tracer of the program that contains the executor.
   * Default false.
   */
  readonly trace?: boolean | Tracer | EffectTracer
}
