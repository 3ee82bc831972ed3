/** Type guards: which tool an event is about. */

interface ToolEvent {
  readonly toolName: string
}

export const isToolCallEventType = (toolName: string, event: ToolEvent): boolean =>
  event.toolName === toolName

const isResultOf =
  (toolName: string) =>
  (event: ToolEvent): boolean =>
    isToolCallEventType(toolName, event)

export const isBashToolResult = isResultOf("bash")
export const isReadToolResult = isResultOf("read")
export const isEditToolResult = isResultOf("edit")
export const isWriteToolResult = isResultOf("write")
export const isGrepToolResult = isResultOf("grep")
export const isFindToolResult = isResultOf("find")
export const isLsToolResult = isResultOf("ls")
export const isPowerShellToolResult = isResultOf("powershell")
