/**
 * wait_background_task
 *
 *   WaitBackgroundTask ─▶ the result, as of get_background_task; or "Task <id> has not ended within <n> s [<Status>]"
 */
import { Type } from "@sinclair/typebox"
import { WaitBackgroundTask } from "../handlers/tasks.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"
import { taskId } from "./task-id.ts"

/** `wait_background_task`: waits until a background task has ended. */
export const waitBackgroundTaskTool = defineTool({
  name: "wait_background_task",
  label: "Wait for background task",
  description:
    "Waits until a background task has ended, and gives its result. A result is given once. Where the time is over before, it says so: wait again, or go on with other work.",
  parameters: Type.Object({
    task_id: taskId,
    seconds: Type.Optional(
      Type.Number({ description: "How long to wait at most. Default 30.", minimum: 0, maximum: 3600 }),
    ),
  }),
  primaryParam: "task_id",
  background: false,
  // The task's result is already cut, and says how to read the rest.
  maxOutputBytes: false,
  kind: "read",
  annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
  compose: ({ task_id, seconds }) => pipeline().andThen(WaitBackgroundTask({ taskId: task_id, seconds })),
})
