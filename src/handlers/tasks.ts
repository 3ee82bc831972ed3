/** Handlers of background tasks. The executor answers both itself, for the calling agent's tasks. */
import { type EffectHandler, handler } from "../pipeline/model/handler.ts"
import { Step } from "../pipeline/model/step.ts"

/** Outputs a line for each task: `<id> (<name>) [<Status>]`. */
export const ListBackgroundTasks = (): EffectHandler =>
  handler("ListBackgroundTasks", () => Step.Delegate({ _tag: "ListBackgroundTasks" }))

/** Outputs a finished task's result, and takes it. */
export const GetBackgroundTask = ({ taskId }: { readonly taskId: string }): EffectHandler =>
  handler("GetBackgroundTask", () => Step.Delegate({ _tag: "GetBackgroundTask", taskId }))
