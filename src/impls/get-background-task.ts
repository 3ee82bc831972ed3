/**
 * get_background_task
 *
 *   GetBackgroundTask ─▶ "Task <id> (<name>) [<Status>]:", then its output
 */
import { Type } from "@sinclair/typebox"
import { GetBackgroundTask } from "../handlers/tasks.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"
import { taskId } from "./task-id.ts"

/** `get_background_task`: takes the result of a background task. */
export const getBackgroundTaskTool = defineTool({
  name: "get_background_task",
  label: "Get background task",
  description: "Gives the result of a finished background task. A result is given once.",
  parameters: Type.Object({
    task_id: taskId,
  }),
  primaryParam: "task_id",
  background: false,
  // The task's result is already cut, and says how to read the rest.
  maxOutputBytes: false,
  kind: "read",
  annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
  compose: ({ task_id }) => pipeline().andThen(GetBackgroundTask({ taskId: task_id })),
})
