/** Converts a preview that a foreign tool pushes to one of the core: its callbacks run under the guards for foreign code. */

import type { ActionFunction, PushedAction } from "../../model/pending-actions.ts"
import { ToolError } from "../../model/step.ts"
import { type ToolOutput, textOf } from "../../output/output.ts"
import type { CurrentCall } from "../current-call.ts"
import type { CustomToolPendingAction } from "../custom-tool.ts"
import type { Logger } from "../host.ts"
import { toToolOutput } from "../normalise-result.ts"
import { isolatedCall } from "./isolation.ts"

/**
 * Previews that the callbacks push go to the agent of `call`, which staged this one; `logger` receives warnings about their
 * unhandled errors.
 */
export const toPushedAction = (
  action: CustomToolPendingAction,
  call: CurrentCall | undefined,
  logger: Logger,
): PushedAction => {
  const { label, sourceToolName = "custom_tool", details } = action
  if (typeof label !== "string" || typeof action.apply !== "function") {
    throw new TypeError("Expected a pending action to have a string `label` and a function `apply`")
  }
  const callback =
    (work: (...args: Parameters<CustomToolPendingAction["apply"]>) => unknown): ActionFunction =>
    async (reason, extra, { signal }) => {
      const { isolated } = isolatedCall(sourceToolName, call && { ...call, signal }, logger)
      return await isolated(async () => outputOf(await work(reason, extra)))
    }
  return {
    label,
    sourceToolName,
    ...(details !== undefined && { details }),
    apply: callback((reason, extra) => action.apply(reason, extra)),
    ...(typeof action.reject === "function" && {
      reject: callback((reason, extra) => action.reject?.(reason, extra)),
    }),
  }
}

/** A result with `isError` leaves the action pending, like a throw. */
const outputOf = (result: unknown): ToolOutput | undefined => {
  if (result === undefined || result === null) return undefined
  const { output, isError } = toToolOutput(result)
  if (isError) throw new ToolError(textOf(output) || "The tool reported an error without a text")
  return output
}
