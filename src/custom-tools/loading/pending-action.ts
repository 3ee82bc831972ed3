/** A preview that a foreign tool pushes, as the core keeps it: its callbacks run under the guards of foreign code. */

import { type ToolOutput, textOf } from "../../pipeline/output.ts"
import type { ActionFunction, PushedAction } from "../../pipeline/pending-actions.ts"
import { ToolError } from "../../pipeline/step.ts"
import { type CurrentCall, currentCall } from "../current-call.ts"
import type { CustomToolPendingAction } from "../custom-tool.ts"
import { toToolOutput } from "../normalise-result.ts"
import { runIsolated } from "./isolation.ts"

/** What the callbacks push in turn goes to the agent of `call`, the one that staged it. */
export const toPushedAction = (
  action: CustomToolPendingAction,
  call: CurrentCall | undefined,
): PushedAction => {
  const { label, sourceToolName = "custom_tool", details } = action
  if (typeof label !== "string" || typeof action.apply !== "function") {
    throw new TypeError("Expected a pending action to have a string `label` and a function `apply`")
  }
  const callback =
    (work: (...args: Parameters<CustomToolPendingAction["apply"]>) => unknown): ActionFunction =>
    async (reason, extra, { signal }) => {
      const isolated = () => runIsolated(sourceToolName, () => work(reason, extra))
      return outputOf(
        await (call === undefined ? isolated() : currentCall.run({ ...call, signal }, isolated)),
      )
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

/** A result that says that it is an error leaves the action pending, as a throw does. */
const outputOf = (result: unknown): ToolOutput | undefined => {
  if (result === undefined || result === null) return undefined
  const { output, isError } = toToolOutput(result)
  if (isError) throw new ToolError(textOf(output) || "The tool reported an error without a text")
  return output
}
