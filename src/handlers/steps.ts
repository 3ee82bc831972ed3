/** Handlers that return one fixed step. */

import type { ApprovalOptions } from "../model/gate.ts"
import { type EffectHandler, handler } from "../model/handler.ts"
import { Step } from "../model/step.ts"
import type { GivenOutput } from "../output/output.ts"

/** Sets the output. */
export const Output = (output: GivenOutput): EffectHandler => {
  const step = Step.Output(output)
  return handler("Output", () => step)
}

/** Streams a text. */
export const Delta = (content: string): EffectHandler => {
  const step = Step.Delta(content)
  return handler("Delta", () => step)
}

/** Ends the call as an error. */
export const Fail = (message: string): EffectHandler => {
  const step = Step.Error(message)
  return handler("Fail", () => step)
}

/** A gate as a handler, for pipelines built only of handlers. `.awaitApproval()` does the same, and appears in plans. */
export const AwaitApproval = (options?: Pick<ApprovalOptions, "label" | "person">): EffectHandler => {
  const step = Step.AwaitApproval(options)
  return handler("AwaitApproval", () => step)
}
