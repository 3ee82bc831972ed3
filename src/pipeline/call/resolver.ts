/** Answers the tool `resolve`: claims the latest pending action of the agent and applies or discards it. */
import * as Effect from "effect/Effect"
import {
  type ResolveParams,
  resolveDescription,
  resolveName,
  resolveParameters,
} from "../../resolve/definition.ts"
import { renderResolve } from "../../resolve/rendering.ts"
import { failureText, nothingPending, withDetails } from "../../resolve/result.ts"
import { messageOf } from "../model/failure.ts"
import type { EffectHandler, HandlerContext } from "../model/handler.ts"
import { type ToolOutput, toOutput } from "../model/output.ts"
import { pipeline } from "../model/pipeline.ts"
import { Step, ToolError } from "../model/step.ts"
import { defineTool, type Tool } from "../model/tool.ts"
import type { StagedAction } from "../stores/pending-actions.ts"
import { ActionRun } from "./action-run.ts"
import type { Engine } from "./engine.ts"
import type { Run } from "./run.ts"

/** Takes what `resolve` is called with while nothing is pending. */
export type StandingResolveHandler = ((
  params: ResolveParams,
  context: { readonly signal: AbortSignal },
) => string | ToolOutput | Promise<string | ToolOutput>) & {
  readonly label?: string
  readonly sourceToolName?: string
}

export interface Resolving {
  readonly engine: Engine
  readonly runOf: (callId: string) => Run | undefined
  readonly standingHandler: (agentId: string) => StandingResolveHandler | undefined
}

export const makeResolveTool = (resolving: Resolving): Tool<unknown> =>
  defineTool({
    name: resolveName,
    label: "Resolve",
    description: resolveDescription,
    parameters: resolveParameters,
    background: false,
    hidden: true,
    annotations: { destructive: true },
    renderResult: renderResolve,
    compose: (params) => pipeline().andThen(resolveHandler(resolving, params as unknown as ResolveParams)),
  }) as Tool<unknown>

const resolveHandler = (resolving: Resolving, params: ResolveParams): EffectHandler => ({
  name: resolveName,
  call: (context) => {
    const { agentId, callId } = context.call
    const run = resolving.runOf(callId)!
    const action = resolving.engine.actions.claim(agentId)
    if (action !== undefined) return endAction(run, action, params, context)
    const standing = resolving.standingHandler(agentId)
    return standing === undefined ? Step.Error(nothingPending) : askStanding(run, standing, params, context)
  },
})

/** An Effect, so that a cancel waits until the action has stopped and is pending again. */
const endAction = (
  run: Run,
  action: StagedAction,
  params: ResolveParams,
  context: HandlerContext,
): Effect.Effect<Step> =>
  Effect.callback<Step>((resume) => {
    const attempt = new ActionRun(run, action, params, (step) => resume(Effect.succeed(step)))
    attempt.start()
    return Effect.callback<void>((stopped) => {
      attempt.interrupt(context.signal.reason, () => stopped(Effect.void))
    })
  })

const askStanding = async (
  run: Run,
  handler: StandingResolveHandler,
  params: ResolveParams,
  context: HandlerContext,
): Promise<Step> => {
  try {
    const output = toOutput(await handler(params, { signal: context.signal }))
    if (output === undefined) throw new ToolError("The standing handler gave neither text nor content blocks")
    return Step.Output(withDetails(output, params, handler))
  } catch (error) {
    run.noteOutput(withDetails({ content: [] }, params, handler))
    const message = failureText(params, messageOf(error), !(error instanceof ToolError))
    return Step.Error(message, { cause: error })
  }
}
