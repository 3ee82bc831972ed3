/** The parameter of the tools that speak of one background task. */
import { Type } from "@sinclair/typebox"

/** `task_id`, as the model is told of it. */
export const taskId = Type.String({ description: "The id that the task got when it was started." })
