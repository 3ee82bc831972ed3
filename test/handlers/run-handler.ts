/** Calls a handler as the executor does, with a context made by hand. */
import * as Effect from "effect/Effect"
import { TestClock } from "effect/testing"
import type { CallMemory, EffectHandler, HandlerContext, Step, ToolCall } from "../../src/index.ts"
import { ToolExecutor, ToolRegistry, textOf } from "../../src/index.ts"
import { callableCall } from "../../src/pipeline/context/callable-call.ts"

/** Keeps what handlers stage. */
const executor = new ToolExecutor(new ToolRegistry([]))

export interface ContextOptions {
  readonly cwd: string
  readonly workspace?: string
  readonly background?: boolean
  /** Default: a fresh one. */
  readonly memory?: CallMemory
  readonly onDelta?: (content: string) => void | Promise<void>
}

export const contextOf = ({
  cwd,
  workspace,
  background = false,
  memory = {},
  onDelta,
}: ContextOptions): HandlerContext => {
  const call: ToolCall = {
    agentId: "main",
    callId: "call-1",
    name: "tool",
    params: {},
    decision: "approve",
    background,
  }
  const { signal } = new AbortController()
  return {
    call: callableCall(call, () => Promise.reject(new Error("There is no other tool"))),
    cwd,
    workspace,
    denies: () => false,
    verdictOn: () => "run",
    output: undefined,
    memory,
    changes: undefined,
    receipt: () => undefined,
    signal,
    resolution: undefined,
    decidedBy: undefined,
    meta: undefined,
    idempotencyKey: "call-1/0/0",
    attempt: 1,
    agent: {
      agentId: "main",
      pendingActions: executor.agent().pendingActions,
      definitions: () => [],
      cancel: () => 0,
    },
    asks: async () => false,
    onShutdown: () => () => undefined,
    delta: async (content) => onDelta?.(content),
    delegate: () => Promise.reject(new Error("Nobody is there to answer")),
  }
}

/** The handler's answer as an Effect. Handlers here give plain steps or effects, nothing else. */
export const stepOf = (handler: EffectHandler, context: HandlerContext): Effect.Effect<Step, unknown> => {
  const answer = handler.call(context)
  return Effect.isEffect(answer) ? answer : Effect.succeed(answer as Step)
}

/** Its own time-out never comes, however slow this machine is: time stands still. */
export const runIn = (context: HandlerContext, handler: EffectHandler): Promise<Step> =>
  Effect.runPromise(Effect.provide(stepOf(handler, context), TestClock.layer({ warningDelay: "1 hour" })))

export const runHandler = (handler: EffectHandler, options: ContextOptions): Promise<Step> =>
  runIn(contextOf(options), handler)

/** The text of an Output, or the message of an Error with `Error: ` before it. */
export const answerOf = async (handler: EffectHandler, options: ContextOptions): Promise<string> => {
  const step = await runHandler(handler, options)
  if (step._tag === "Error") return `Error: ${step.message}`
  if (step._tag !== "Output") return step._tag
  return typeof step.output === "string" ? step.output : textOf(step.output)
}
