/** Handlers of background tasks. The executor answers them itself, for the calling agent's tasks. */
import { type EffectHandler, handler } from "../model/handler.ts"
import { Step } from "../model/step.ts"

/** Outputs a line for each task: `<id> (<name>) [<Status>]`. */
export const ListBackgroundTasks = (): EffectHandler =>
  handler("ListBackgroundTasks", () => Step.Delegate({ _tag: "ListBackgroundTasks" }))

/** Outputs a finished task's result, and takes it. */
export const GetBackgroundTask = ({ taskId }: { readonly taskId: string }): EffectHandler =>
  handler("GetBackgroundTask", () => Step.Delegate({ _tag: "GetBackgroundTask", taskId }))

/** Outputs a task's result once it has ended, and takes it; if it has not ended after `seconds` (default 30), outputs that. */
export const WaitBackgroundTask = (task: {
  readonly taskId: string
  readonly seconds?: number | undefined
}): EffectHandler =>
  handler("WaitBackgroundTask", () => {
    const { taskId, seconds } = task
    // The executor answers in time, so no other time-out is needed.
    return Step.Delegate(
      { _tag: "WaitBackgroundTask", taskId, ...(seconds !== undefined && { seconds }) },
      { timeout: "Infinity" },
    )
  })

/** Outputs what a task has streamed since the last read. */
export const ReadBackgroundOutput = ({ taskId }: { readonly taskId: string }): EffectHandler =>
  handler("ReadBackgroundOutput", () => Step.Delegate({ _tag: "ReadBackgroundOutput", taskId }))

/** Cancels a task. */
export const CancelBackgroundTask = ({ taskId }: { readonly taskId: string }): EffectHandler =>
  handler("CancelBackgroundTask", () => Step.Delegate({ _tag: "CancelBackgroundTask", taskId }))
