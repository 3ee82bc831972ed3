/** An effect handler does one thing, once, and answers with a Step in whichever shape suits it. */
import type { Effect } from "effect/Effect"
import type { Scope } from "effect/Scope"
import type { ToolOutput } from "../../output/output.ts"
import type { ToolCall } from "./call.ts"
import type { DecidedBy } from "./decision.ts"
import { got } from "./got.ts"
import type { HostEffect } from "./host-effect.ts"
import type { PendingActions } from "./pending-actions.ts"
import type { DurationInput, Step } from "./step.ts"

/** How the last gate was decided. */
export interface Resolution {
  /** `discard` only for what runs when a preview is discarded. */
  readonly action: "apply" | "discard"
  readonly reason?: string
  readonly extra?: Readonly<Record<string, unknown>>
}

/** The agent of a call, as its executor knows it. */
export interface CallingAgent {
  readonly agentId: string
  /** Its previews that wait to be applied or discarded. */
  readonly pendingActions: PendingActions
  /** Ends all its foreground calls, the caller's own too. Gives how many. */
  cancel(reason?: string): number
}

/** What the handlers of one call tell each other. Plain JSON, for it is written down with the call. */
export type CallMemory = Record<string, unknown>

/**
 * What a handler is told of its call, and how it streams. `Memory`: the type of what the call's handlers tell each other, where
 * they say it of their parameter.
 *
 * @example
 * pipeline().andThen(({ memory }: HandlerContext<{ seen: number }>) => {
 *   memory.seen = 3
 *   return Step.Continue
 * })
 */
export interface HandlerContext<Memory extends object = CallMemory> {
  readonly call: ToolCall
  /** What the host put into the call. */
  readonly meta: Readonly<Record<string, unknown>> | undefined
  /**
   * Names what this handler does for this call: the same when it runs again after a crash, another one for another handler
   * and where the call runs again with edited parameters. For services that take such a key, so that nothing is done twice.
   */
  readonly idempotencyKey: string
  /** The executor's working directory, absolute. */
  readonly cwd: string
  /** A folder that file tools must stay in, links resolved; undefined allows all. */
  readonly workspace: string | undefined
  /** Whether a deny rule of the tool holds for a file: to be asked before one that was found, not named, is read. */
  readonly denies: (path: string) => boolean
  /**
   * What the rules say of this call had it other parameters: to be asked before a handler goes where the call is led on its
   * way, such as by a redirect. `run`: it would have come as far without a new question. `ask`: a rule approved this call,
   * and none approves that one. `deny`: a rule denies it. Where nobody had to approve this call, and where anybody but a
   * rule did, all that is not denied runs. Hooks and reviewers are not asked.
   */
  readonly verdictOn: (params: unknown) => "run" | "ask" | "deny"
  /** What the earlier handlers produced. */
  readonly output: ToolOutput | undefined
  /** Aborted when the call is cancelled or runs out of time. Made when first read. */
  readonly signal: AbortSignal
  readonly resolution: Resolution | undefined
  /** Who decided the last gate that was passed. */
  readonly decidedBy: DecidedBy | undefined
  /**
   * What the handlers of this call tell each other, across gates and previews; plain JSON. What `compose` closes over is
   * lost where a call is written down and goes on in another process: this is not. Empty again where a call starts over
   * with edited parameters.
   */
  readonly memory: Partial<Memory>
  /** The agent that called, for handlers that stage previews by hand or end its turn. */
  readonly agent: CallingAgent
  /**
   * Has something done when the executor shuts down, once all calls have ended: for what outlives the call that made it,
   * such as a file that its result names. `shutdown` waits for it, `finallyTimeout` at most; its failure is nobody's. Gives
   * a function that takes it back. What a call alone needs belongs into a finally handler.
   */
  onShutdown(cleanup: () => unknown): () => void
  /**
   * Streams while running. Resolves when the consumer has room; after a cancel it rejects with the signal's reason.
   * `partial` is structured progress for the host.
   */
  delta(content: string, partial?: unknown): Promise<void>
  /**
   * Asks the host while running, as `Step.Delegate` does between steps. Resolves to its answer; rejects where it has none,
   * and after a cancel with the signal's reason. The default time-out is the executor's `delegateTimeout`. `Structured`: the type
   * of the answer's data, as the host has said; nobody checks it.
   */
  delegate<Structured = unknown>(
    effect: HostEffect | { readonly _tag: string },
    options?: { readonly timeout?: DurationInput },
  ): Promise<ToolOutput<Structured> | undefined>
}

/**
 * What a handler may give: a Step at once, a promise or an Effect of one, or an async generator that yields several. `R` are
 * the services that its Effect needs.
 */
export type HandlerReturn<R = never> =
  | Step
  | PromiseLike<Step>
  | Effect<Step, unknown, R>
  // biome-ignore lint/suspicious/noConfusingVoidType: what a generator gives that ends without a last step.
  | AsyncIterable<Step, Step | undefined | void>

/** A handler as a bare function. What it throws is an Error with its message. */
export type HandlerFunction<R = never, Memory extends object = CallMemory> = (
  context: HandlerContext<Memory>,
) => HandlerReturn<R>

/** One thing that a pipeline does. */
export interface EffectHandler<R = never> {
  readonly name: string
  /**
   * Where calls are durable and the process died while it ran: it runs again, unless this says `never`. Then the call ends as
   * an Error that says that it may have run.
   */
  readonly retry?: "never" | undefined
  call(context: HandlerContext): HandlerReturn<R>
  /** Tells it from a function, which has a `name` and a `call` too. */
  readonly caller?: undefined
}

/** What a handler needs of its executor: a `Scope` it has of its attempt, which closes it when it ends. */
export type Needs<R> = Exclude<R, Scope>

/** Names a function of the context, so that plans, traces and reports can show it. `retry`: see `EffectHandler`. */
export const handler = <R = never, Memory extends object = CallMemory>(
  name: string,
  call: HandlerFunction<R, Memory>,
  { retry }: Pick<EffectHandler, "retry"> = {},
): EffectHandler<Needs<R>> => {
  if (typeof call !== "function")
    throw new TypeError(`Expected \`handler\` to be given a name and a function, ${got(call)}`)
  if (retry !== undefined && retry !== "never")
    throw new TypeError(`Expected \`retry\` of handler \`${name}\` to be never, or left out, ${got(retry)}`)
  return {
    name,
    call: call as unknown as HandlerFunction<Needs<R>>,
    ...(retry !== undefined && { retry }),
  }
}
