/**
 * list_background_tasks
 *
 *   ListBackgroundTasks ─▶ "<id> (<name>) [<Status>]" a line
 */
import { Type } from "@sinclair/typebox"
import { ListBackgroundTasks } from "../handlers/tasks.ts"
import { pipeline } from "../model/pipeline.ts"
import { defineTool } from "../model/tool.ts"

/** `list_background_tasks`: lists the background tasks of the agent. */
export const listBackgroundTasksTool = defineTool({
  name: "list_background_tasks",
  label: "List background tasks",
  description: "Lists the tasks that you started in the background, with their ids and states.",
  parameters: Type.Object({}),
  background: false,
  kind: "read",
  annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  compose: () => pipeline().andThen(ListBackgroundTasks()),
})
