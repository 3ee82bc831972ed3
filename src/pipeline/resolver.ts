/** Answers the tool `resolve`: claims the latest pending action of the agent and applies or discards it. */
import * as Effect from "effect/Effect"
import {
  type ResolveParams,
  resolveDescription,
  resolveName,
  resolveParameters,
} from "../resolve/definition.ts"
import { renderResolve } from "../resolve/rendering.ts"
import { ActionRun } from "./action-run.ts"
import type { Engine } from "./engine.ts"
import { messageOf } from "./failure.ts"
import type { EffectHandler, HandlerContext, Resolution } from "./handler.ts"
import type { Ending, MainPart } from "./interpreter.ts"
import { type ToolOutput, textOutput, toOutput } from "./output.ts"
import type { StagedAction } from "./pending-actions.ts"
import { pipeline } from "./pipeline.ts"
import type { Run } from "./run.ts"
import { Step, ToolError } from "./step.ts"
import { defineTool, type Tool } from "./tool.ts"

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

export const nothingPending = "No pending action to resolve. Nothing to apply or discard."

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
    const action = resolving.engine.actions.claim(agentId)
    if (action !== undefined) return endAction(resolving.runOf(callId)!, action, params)
    const standing = resolving.standingHandler(agentId)
    return standing === undefined ? Step.Error(nothingPending) : stand(standing, params, context)
  },
})

const stand = async (
  handler: StandingResolveHandler,
  params: ResolveParams,
  context: HandlerContext,
): Promise<Step> => {
  const { label, sourceToolName } = handler
  try {
    const output = toOutput(await handler(params, { signal: context.signal }))
    if (output === undefined) return Step.Error("The standing handler gave neither text nor content blocks")
    return Step.Output(withDetails(output, params, { label, sourceToolName }))
  } catch (error) {
    return params.action === "apply" ? applyFailure(error) : Step.Error(messageOf(error), { cause: error })
  }
}

const applyFailure = (error: unknown): Step =>
  Step.Error(error instanceof ToolError ? error.message : `Apply failed: ${messageOf(error)}`, {
    cause: error,
  })

/** An Effect, so that a cancel waits until the action has stopped and is pending again. */
const endAction = (run: Run, action: StagedAction, params: ResolveParams): Effect.Effect<Step> => {
  const { actions } = run.engine
  const { agentId } = run
  return Effect.callback<Step>((resume) => {
    const discards = params.action === "discard"
    const resolution: Resolution = {
      action: params.action,
      reason: params.reason,
      ...(params.extra !== undefined && { extra: params.extra }),
    }
    const staged = discards ? { ...action, output: undefined } : action
    const attempt = new ActionRun(
      run,
      staged,
      resolution,
      discards ? discardParts(action) : action.rest,
      (ending, output) => {
        if (ending._tag === "Failed") {
          actions.restore(agentId, action)
          run.noteOutput(withDetails({ content: [] }, params, action))
          return resume(Effect.succeed(failureOf(ending, discards)))
        }
        const next = ending._tag === "Staged" ? stageRest(run, action, ending, output) : undefined
        if (next !== undefined && "failure" in next) {
          actions.restore(agentId, action)
          return resume(Effect.succeed(Step.Error(next.failure)))
        }
        actions.settle(agentId, action)
        const { actionId, label, sourceToolName } = action
        const outcome = discards ? "discarded" : "applied"
        run.sink.push({ _tag: "ActionResolved", agentId, actionId, label, sourceToolName, outcome })
        if (next === undefined) run.cleanUpAfter(action)
        const result = next?.output ?? resultOf(action, params, output)
        resume(Effect.succeed(Step.Output(withDetails(result, params, action))))
      },
    )
    attempt.start()
    return Effect.callback<void>((stopped) => {
      attempt.interrupt(new DOMException("The resolve call was cancelled", "AbortError"), () => {
        actions.restore(agentId, action)
        stopped(Effect.void)
      })
    })
  })
}

const discardParts = ({ onDiscard }: StagedAction): ReadonlyArray<MainPart> =>
  onDiscard === undefined ? [] : [{ kind: "handler", name: onDiscard.name, handler: onDiscard }]

const failureOf = (ending: Extract<Ending, { _tag: "Failed" }>, discards: boolean): Step =>
  ending.thrown && !discards
    ? Step.Error(`Apply failed: ${ending.message}`, { cause: ending.cause })
    : Step.Error(ending.message, { cause: ending.cause })

/** The rest of the pipeline has a preview of its own: the action goes on as a new one. */
const stageRest = (
  run: Run,
  action: StagedAction,
  ending: Extract<Ending, { _tag: "Staged" }>,
  output: ToolOutput | undefined,
): { readonly output: ToolOutput } | { readonly failure: string } => {
  const staged = run.stage(ending, output, action.source, action.finals)
  return staged === undefined ? { failure: run.engine.actions.tooMany } : { output: staged }
}

const resultOf = (
  action: StagedAction,
  params: ResolveParams,
  output: ToolOutput | undefined,
): ToolOutput => {
  if (params.action === "discard") {
    return output ?? textOutput(`Discarded: ${action.label}. Reason: ${params.reason}`)
  }
  return output === undefined || output === action.output
    ? textOutput(`Applied: ${action.label}. Reason: ${params.reason}`)
    : output
}

const withDetails = (
  output: ToolOutput,
  { action, reason, extra }: ResolveParams,
  source: { readonly label?: string | undefined; readonly sourceToolName?: string | undefined },
): ToolOutput => {
  const { label, sourceToolName } = source
  const details = {
    action,
    reason,
    ...(extra !== undefined && extra !== null && { extra }),
    ...(sourceToolName !== undefined && { sourceToolName }),
    ...(label !== undefined && { label }),
    ...(output.details !== undefined && output.details !== null && { sourceResultDetails: output.details }),
  }
  return { ...output, details }
}
