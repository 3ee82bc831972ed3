/** Effect handlers, which do the work of a call. Each does one thing, and returns a Step, directly or as a promise, Effect or generator. */
import type { Effect } from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { ToolOutput } from "../output/output.ts"
import type { ChangeRecorder } from "../undo/changes.ts"
import type { ToolCall } from "./call.ts"
import type { DecidedBy } from "./decision.ts"
import type { ToolResult } from "./event.ts"
import { expectFunction, got, toCount } from "./got.ts"
import type { HostEffect } from "./host-effect.ts"
import type { PendingActions } from "./pending-actions.ts"
import type { DurationInput, Step } from "./step.ts"
import type { ToolDefinition } from "./tool-definition.ts"

/** How the last gate was decided. */
export interface Resolution {
  /** `discard` only for handlers that run when a preview is discarded. */
  readonly action: "apply" | "discard"
  readonly reason?: string
  readonly extra?: Readonly<Record<string, unknown>>
}

/** The agent of a call. */
export interface CallingAgent {
  readonly agentId: string
  /** The agent's previews that wait to be applied or discarded. */
  readonly pendingActions: PendingActions
  /** The definitions of the agent's tools, for the model. */
  definitions(): ReadonlyArray<ToolDefinition>
  /** Cancels all foreground calls of the agent, the caller's own included. Returns their number. */
  cancel(reason?: string): number
}

/** Options of a nested call. */
export interface NestedOptions {
  /** The purpose of the call. Gates without their own label show it. */
  readonly label?: string | undefined
  /** Cancels this call alone when it is aborted: the result is then that of a cancelled call. */
  readonly signal?: AbortSignal | undefined
  /**
   * Plans the call. Its gate asks at once, and so does a preview that it would otherwise stage for the model. After the gate, the
   * call waits until this promise settles, for example the promise of another call. A call without a gate waits before its first
   * handler.
   */
  readonly after?: PromiseLike<unknown> | undefined
}

/** Runs another tool as a nested call. `params`: default `{}`. */
export type RunTool = (name: string, params?: unknown, options?: NestedOptions) => Promise<ToolResult>

/** The data that the handlers of one call share. Plain JSON, because snapshots store it. */
export type CallMemory = Record<string, unknown>

/**
 * The context that a handler receives: its call, and functions to stream and ask. `Memory`: the type of the data that the call's
 * handlers share.
 *
 * @example
 * pipeline().andThen(({ memory }: HandlerContext<{ seen: number }>) => {
 *   memory.seen = 3
 *   return Step.Continue
 * })
 */
export interface HandlerContext<Memory extends object = CallMemory> {
  /**
   * The call. As a function, it runs another tool: `await context.call("read_file", { path })`. That is a separate call of the
   * same agent, with the id `<this id>/<n>`. Rules, reviewers, gates, limits and hooks apply to it as to any call, no matter what
   * was approved for this one. It does not wait for a turn in a lane, and several may run at once. Resolves to its result, also
   * for an error, a denial or an unknown tool. Rejects with the signal's reason once this call is cancelled or times out, which
   * also cancels the nested calls, as does the end of the handler. Calls are nested at most 8 deep.
   */
  readonly call: ToolCall & RunTool
  /** The host's own data of the call. */
  readonly meta: Readonly<Record<string, unknown>> | undefined
  /** A W3C `traceparent` that names the call's span, for work in other systems; undefined if no tracer provides one. */
  readonly traceParent?: string | undefined
  /**
   * A key for this handler's work in this call, for services that use idempotency keys. The key stays the same when the handler runs
   * again after a crash. It differs between handlers, and when the call restarts with edited parameters.
   */
  readonly idempotencyKey: string
  /**
   * 1; in a durable call, one more for each process that ended while this handler ran. Counted from the last stored handler, so a
   * later handler may start at 1 again.
   */
  readonly attempt: number
  /** The executor's working directory, absolute. */
  readonly cwd: string
  /** A folder that file tools must stay in, links resolved; undefined allows all files. */
  readonly workspace: string | undefined
  /** Whether a deny rule of the tool covers a file. Ask before reading a file that the handler found, and that the call did not name. */
  readonly denies: (path: string) => boolean
  /**
   * The rules' verdict on this call if it had other parameters. Ask before the handler follows a new target, such as a redirect.
   * `run`: the call needs no new approval. `ask`: a rule approved this call, and no rule approves the other parameters. `deny`: a
   * rule denies them. If no rule approved this call, because no approval was needed or another party gave it, everything that is
   * not denied may run. Hooks and reviewers are not asked.
   */
  readonly verdictOn: (params: unknown) => "run" | "ask" | "deny"
  /** The output of the earlier handlers. */
  readonly output: ToolOutput | undefined
  /** Aborted when the call is cancelled or times out. Created when first read. */
  readonly signal: AbortSignal
  readonly resolution: Resolution | undefined
  /** The party that decided the last gate that the call passed. */
  readonly decidedBy: DecidedBy | undefined
  /**
   * The data that the handlers of this call share, across gates and previews; plain JSON. Snapshots store the memory, unlike variables
   * that `compose` closes over. A call that restarts with edited parameters begins with an empty memory.
   */
  readonly memory: Partial<Memory>
  /**
   * Stores the data that the handler's own `undo` needs to take back the work that it has just done: plain JSON. A handler may
   * store several receipts; without one, it has nothing to take back. Does nothing for a handler without `undo`, or if no changes
   * are kept. Throws if the data is not JSON, or if the receipts of the call have more than 100,000 characters.
   */
  receipt(receipt: unknown): void
  /** Records the handler's changes, so that they can be taken back; undefined if no changes are kept. */
  readonly changes: ChangeRecorder | undefined
  /**
   * Whether a call of this tool would ask: at a gate of its pipeline that no rule decides, or with a preview for `resolve`. False
   * for a call that would be refused. A gate that a handler opens while it runs does not count. Calls `beforeCall` and `compose`,
   * but no reviewer.
   */
  asks(name: string, params?: unknown): Promise<boolean>
  /** The calling agent, for handlers that stage previews by hand or end the agent's turn. */
  readonly agent: CallingAgent
  /**
   * Adds a cleanup that runs when the executor shuts down, after all calls have ended: for resources that outlive their call, such as
   * a file that its result names. `shutdown` waits for the cleanup, at most `finallyTimeout`; a failure is ignored. Returns a function
   * that removes the cleanup. Use a finally handler for resources that only the call needs.
   */
  onShutdown(cleanup: () => unknown): () => void
  /**
   * Streams text while the handler runs. Resolves when the consumer has room. After a cancel, rejects with the signal's reason.
   * `partial` is structured progress for the host.
   */
  delta(content: string, partial?: unknown): Promise<void>
  /**
   * Asks the host while the handler runs, as `Step.Delegate` does between steps. Resolves to the host's answer. Rejects if the host
   * fails the effect and, after a cancel, with the signal's reason. The default time-out is the executor's `delegateTimeout`.
   * Await it before the next step: if the handler goes on, nobody is asked any more, and the promise rejects.
   * `Structured`: the expected type of the answer's data, which is not checked.
   */
  delegate<Structured = unknown>(
    effect: HostEffect | { readonly _tag: string },
    options?: { readonly timeout?: DurationInput },
  ): Promise<ToolOutput<Structured> | undefined>
}

/**
 * The values that a handler may return: a Step, a promise or an Effect of a Step, or an async generator of Steps. `R`: the services
 * that the Effect needs.
 */
export type HandlerReturn<R = never> =
  | Step
  | PromiseLike<Step>
  | Effect<Step, unknown, R>
  // biome-ignore lint/suspicious/noConfusingVoidType: what a generator gives that ends without a last step.
  | AsyncIterable<Step, Step | undefined | void>

/** A handler as a function. If it throws, the call ends as an Error with the thrown message. */
export type HandlerFunction<R = never, Memory extends object = CallMemory> = (
  context: HandlerContext<Memory>,
) => HandlerReturn<R>

/** Takes back the work of a handler. `context` is the context of the call of `undo`. */
export type UndoFunction = (
  // biome-ignore lint/suspicious/noExplicitAny: what a receipt is, only the handler knows that gave it.
  receipt: any,
  context: HandlerContext,
) => void | PromiseLike<void>

/** One thing that a pipeline does. */
export interface EffectHandler<R = never> {
  readonly name: string
  /**
   * For durable calls whose process died while this handler ran. By default the handler runs again. With `never`, the call ends
   * as an Error with a message that the handler may have run.
   */
  readonly retry?: "never" | undefined
  /** How many processes may end while this handler runs before a durable call ends as an Error (`poisoned`). Default: the tool's. */
  readonly maxAttempts?: number | undefined
  /**
   * Takes back the work of the handler, using a receipt that it stored. The host is asked first. If it throws, the work can still
   * be taken back later.
   */
  readonly undo?: UndoFunction | undefined
  call(context: HandlerContext): HandlerReturn<R>
  /** Distinguishes a handler from a function, which also has `name` and `call`. */
  readonly caller?: undefined
}

/** The services that the executor has to provide to a handler. Its `Scope` comes from the attempt, which closes the scope at its end. */
export type Needs<R> = Exclude<R, Scope>

/** Makes a handler with a name, which plans, traces and reports show. `retry`, `maxAttempts`, `undo`: see `EffectHandler`. */
export const handler = <R = never, Memory extends object = CallMemory>(
  name: string,
  call: HandlerFunction<R, Memory>,
  { retry, maxAttempts, undo }: Pick<EffectHandler, "retry" | "maxAttempts" | "undo"> = {},
): EffectHandler<Needs<R>> => {
  if (typeof call !== "function")
    throw new TypeError(`Expected \`handler\` to be given a name and a function, ${got(call)}`)
  if (retry !== undefined && retry !== "never")
    throw new TypeError(`Expected \`retry\` of handler \`${name}\` to be never, or left out, ${got(retry)}`)
  toCount("maxAttempts", maxAttempts, 1, ` of handler \`${name}\``)
  expectFunction("undo", undo, ` of handler \`${name}\``)
  return {
    name,
    call: call as unknown as HandlerFunction<Needs<R>>,
    ...(retry !== undefined && { retry }),
    ...(maxAttempts !== undefined && { maxAttempts }),
    ...(undo && { undo }),
  }
}
