/** Runs a handler for another handler, such as one that records it as a step of another engine. */
import * as Effect from "effect/Effect"
import type { EffectHandler, HandlerContext } from "../../model/handler.ts"
import { isStep, Step } from "../../model/step.ts"
import { whenAborted } from "../../model/when-aborted.ts"
import { toOutput } from "../../output/output.ts"
import type { HandlerEffect } from "../engine.ts"
import { AttemptContext } from "./handler-context.ts"
import { isAsyncIterable, isOwnEffect, notAStep } from "./handler-return.ts"

/** Streams or asks what a step says. Any other step is returned. */
const carriedOut = async (step: Step, context: HandlerContext): Promise<Step> => {
  if (step._tag === "Delta") {
    await context.delta(step.content, step.partial)
    return Step.Continue
  }
  if (step._tag !== "Delegate") return step
  const { effect, timeout } = step
  const output = await context.delegate(effect, timeout === undefined ? {} : { timeout })
  return output === undefined ? Step.Continue : Step.Output(output)
}

/**
 * Runs a handler to its last step: `Continue`, the last `Output`, an `Error` or `AwaitApproval`. Deltas are streamed and effects are asked
 * through the context, and Effects get the services of the executor; what they acquire is released at once. Rejects with what the handler
 * throws. A generator that opens a gate before its end, or after an output, is refused with a TypeError: a gate lies between two steps.
 *
 * @param context The context of the handler that calls this function.
 */
export const runHandler = async <R = never>(
  handler: EffectHandler<R>,
  context: HandlerContext,
): Promise<Step> => {
  const stepOf = (value: unknown): Promise<Step> => {
    if (!isStep(value)) throw notAStep(handler, value)
    return carriedOut(value, context)
  }
  const returned: unknown = handler.call(context)
  if (isOwnEffect(handler, returned))
    return stepOf(await AttemptContext.runEffect(context, Effect.scoped(returned as HandlerEffect)))
  if (!isAsyncIterable(returned)) return stepOf(await returned)
  const steps = returned[Symbol.asyncIterator]()
  const { signal } = context
  // A failure to close is ignored, as that of a generator in a pipeline is.
  const close = async () => steps.return?.()
  const release = whenAborted(signal, () => void close().catch(() => undefined))
  let last: Step = Step.Continue
  try {
    for (;;) {
      const { done, value } = await steps.next()
      if (signal.aborted) throw signal.reason
      if (done === true && value === undefined) return last
      if (last._tag === "AwaitApproval") throw gateInside(handler.name, "before its end")
      const step = await stepOf(value)
      if (step._tag === "AwaitApproval" && last._tag === "Output")
        throw gateInside(handler.name, "after an output")
      if (step._tag !== "Continue") last = step
      if (done === true || step._tag === "Error") return last
      if (step._tag === "Output") AttemptContext.showOutput(context, toOutput(step.output))
      await AttemptContext.room(context)
    }
  } finally {
    release()
    AttemptContext.showOutput(context, undefined)
    await close().catch(() => undefined)
  }
}

const gateInside = (name: string, where: string): TypeError =>
  new TypeError(
    `Handler \`${name}\` opens a gate ${where}. Put the gate into the pipeline, with \`awaitApproval\``,
  )
