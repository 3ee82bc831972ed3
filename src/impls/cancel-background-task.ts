/**
 * cancel_background_task
 *
 *   CancelBackgroundTask ─▶ "Task <id> is cancelled"
 */
import { Type } from "@sinclair/typebox"
import { CancelBackgroundTask } from "../handlers/tasks.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"
import { taskId } from "./task-id.ts"

/** `cancel_background_task`: ends a background task of the agent. */
export const cancelBackgroundTaskTool = defineTool({
  name: "cancel_background_task",
  label: "Cancel background task",
  description: "Cancels a background task that you started.",
  parameters: Type.Object({
    task_id: taskId,
  }),
  primaryParam: "task_id",
  background: false,
  kind: "other",
  annotations: { readOnly: false, destructive: true, idempotent: true, openWorld: false },
  compose: ({ task_id }) => pipeline().andThen(CancelBackgroundTask({ taskId: task_id })),
})
