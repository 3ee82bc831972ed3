// Long work in the background: the model gets a task id at once, and the result when it asks for it.
import { ToolExecutor, ToolFilters, ToolRegistry } from "stepline"
import { getBackgroundTaskTool, listBackgroundTasksTool, shellTool } from "stepline/tools"

const filters = ToolFilters.compile({ shell: { allow: ["^(sleep|echo) "] } })
const registry = new ToolRegistry([shellTool, listBackgroundTasksTool, getBackgroundTaskTool])
await using executor = new ToolExecutor(registry, { filters })

// `background: true` may come from the model, among the parameters, or from the host.
const started = await executor.run({
  callId: "build",
  name: "shell",
  params: { command: "sleep 3; echo built", background: true },
})
console.log(started.content)

// The lane is free: other calls of the same agent do not wait for the task.
console.log((await executor.run({ name: "list_background_tasks" })).content)
const take = { name: "get_background_task", params: { task_id: "build" } }
console.log((await executor.run(take)).content)
console.log((await executor.run({ name: "shell", params: { command: "echo meanwhile" } })).content)

await executor.tasks.wait("build")
console.log((await executor.run(take)).content)

// A result is handed out once.
console.log((await executor.run(take)).content)
