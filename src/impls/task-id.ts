/** The parameter of tools for one background task. */
import { Type } from "@sinclair/typebox"

/** `task_id`, with its description for the model. */
export const taskId = Type.String({ description: "The id that the task got when it was started." })
