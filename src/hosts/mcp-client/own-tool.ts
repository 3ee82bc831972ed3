/** The tools that a server lists. */
import type { CallToolResult, Tool as McpTool, ServerCapabilities } from "@modelcontextprotocol/client"
import { whenAborted } from "../../model/when-aborted.ts"
import { serverToolName } from "./remote-name.ts"
import type { Sending, ServerTool } from "./server-tool.ts"

/** Sends a call as a task of the server, and waits for its result. The end of the call here cancels the task. */
const asTask = async (name: string, sending: Sending): Promise<CallToolResult> => {
  const { client, sdk, params, about, options, taskStatus } = sending
  const { CreateTaskResult, CallToolResult, CancelTaskResult } = sdk.specTypeSchemas
  const { signal, timeout } = options
  const call = { method: "tools/call", params: { name, arguments: params, task: {}, ...about } }
  // Only the task itself can be cancelled, and not the request for it.
  const { task } = await client.request(call, CreateTaskResult, { timeout })
  const { taskId } = task
  const cancel = () =>
    client.request({ method: "tasks/cancel", params: { taskId } }, CancelTaskResult).catch(() => {})
  if (signal.aborted) void cancel()
  const release = whenAborted(signal, cancel)
  const told = taskStatus(taskId)
  try {
    return await client.request({ method: "tasks/result", params: { taskId } }, CallToolResult, options)
  } finally {
    told()
    release()
  }
}

/** Makes the tool for one that the server lists. One that may run as a task does so in the background. */
export const ownTool = (server: string, described: McpTool, { tasks }: ServerCapabilities): ServerTool => {
  const { name, execution: { taskSupport } = {} } = described
  const takesTasks = tasks?.requests?.tools?.call !== undefined
  return {
    described,
    ruleName: serverToolName(server, name),
    send: (sending) =>
      takesTasks &&
      (taskSupport === "required" || (taskSupport === "optional" && sending.context.call.background))
        ? asTask(name, sending)
        : sending.client.callTool({ name, arguments: sending.params, ...sending.about }, sending.options),
  }
}
