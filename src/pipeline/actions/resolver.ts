/** The tool `resolve` as the executor implements it. */

import type { EffectHandler, HandlerContext } from "../../model/handler.ts"
import { pipeline } from "../../model/pipeline.ts"
import { isToolError, Step, ToolError } from "../../model/step.ts"
import { defineTool, type Tool } from "../../model/tool.ts"
import { type GivenOutput, outputFault, toOutput } from "../../output/output.ts"
import {
  type ResolveParams,
  resolveDescription,
  resolveName,
  resolveParameters,
} from "../../resolve/definition.ts"
import { renderResolve } from "../../resolve/rendering.ts"
import { failureText, nothingPending, notTheLatest, withDetails } from "../../resolve/result.ts"
import { messageOf } from "../../text/message-of.ts"

/** Handles a call of `resolve` while no action is pending. */
export type StandingResolveHandler = ((
  params: ResolveParams,
  context: { readonly signal: AbortSignal },
) => GivenOutput | Promise<GivenOutput>) & {
  readonly label?: string
  readonly sourceToolName?: string
}

/** Looks up an agent's handler for `resolve` while no action is pending. */
type StandingHandlerOf = (agentId: string) => StandingResolveHandler | undefined

/** Makes the tool `resolve`. Its handler runs only if no action is pending: otherwise the call claims the latest action. */
export const makeResolveTool = (standingHandlerOf: StandingHandlerOf): Tool<unknown> =>
  defineTool({
    name: resolveName,
    label: "Resolve",
    description: resolveDescription,
    parameters: resolveParameters,
    background: false,
    hidden: true,
    annotations: { destructive: true },
    renderResult: renderResolve,
    compose: (params) =>
      pipeline().andThen(standingHandler(standingHandlerOf, params as unknown as ResolveParams)),
  }) as Tool<unknown>

const standingHandler = (standingHandlerOf: StandingHandlerOf, params: ResolveParams): EffectHandler => ({
  name: resolveName,
  call: (context) => {
    // A call with an action id refers to a preview, which no standing handler knows.
    if (params.actionId !== undefined) return Step.Error(notTheLatest(params.actionId))
    const standing = standingHandlerOf(context.call.agentId)
    return standing === undefined ? Step.Error(nothingPending) : askStanding(standing, params, context)
  },
})

const askStanding = async (
  handler: StandingResolveHandler,
  params: ResolveParams,
  context: HandlerContext,
): Promise<Step> => {
  try {
    const answer = await handler(params, { signal: context.signal })
    const output = toOutput(answer)
    if (output === undefined) {
      throw new ToolError(`The standing handler gave an output that ${outputFault(answer)}`)
    }
    return Step.Output(withDetails(output, params, handler))
  } catch (error) {
    const message = failureText(params, messageOf(error), !isToolError(error))
    return Step.Error(message, { cause: error, output: withDetails({ content: [] }, params, handler) })
  }
}
