/**
 * read_background_output
 *
 *   ReadBackgroundOutput ─▶ "Task <id> (<name>) [<Status>]:", then the new output, or "(no new output)"
 */
import { Type } from "@sinclair/typebox"
import { ReadBackgroundOutput } from "../handlers/tasks.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"
import { taskId } from "./task-id.ts"

/** `read_background_output`: returns the output of a background task since the last read. */
export const readBackgroundOutputTool = defineTool({
  name: "read_background_output",
  label: "Read background output",
  description:
    "Returns the output of a background task since it was last read. The task continues, and its result is kept.",
  parameters: Type.Object({
    task_id: taskId,
  }),
  primaryParam: "task_id",
  background: false,
  cutsOutput: true,
  kind: "read",
  annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
  compose: ({ task_id }) => pipeline().andThen(ReadBackgroundOutput({ taskId: task_id })),
})
