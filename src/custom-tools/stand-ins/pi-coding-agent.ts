/** `pi-coding-agent`: what tools use of it. What runs an agent, or belongs to its screen, throws. */
import { unavailable } from "./unavailable.ts"

export { getAgentDir } from "./agent-folder.ts"
export { defineTool } from "./define-tool.ts"
export { withFileMutationQueue } from "./file-mutation-queue.ts"
export { parseFrontmatter } from "./frontmatter.ts"
export { keyHint } from "./key-hints.ts"
export { convertToLlm, serializeConversation } from "./messages.ts"
export { StringEnum } from "./string-enum.ts"
export { getMarkdownTheme, getSettingsListTheme } from "./themes.ts"
export {
  isBashToolResult,
  isEditToolResult,
  isFindToolResult,
  isGrepToolResult,
  isLsToolResult,
  isReadToolResult,
  isToolCallEventType,
  isWriteToolResult,
} from "./tool-events.ts"
export { createBashTool, createBashTool as createBashToolDefinition } from "./tool-factories/bash.ts"
export { createEditTool, createEditTool as createEditToolDefinition } from "./tool-factories/edit.ts"
export { createFindTool, createFindTool as createFindToolDefinition } from "./tool-factories/find.ts"
export { createGrepTool, createGrepTool as createGrepToolDefinition } from "./tool-factories/grep.ts"
export { createLsTool, createLsTool as createLsToolDefinition } from "./tool-factories/ls.ts"
export { createReadTool, createReadTool as createReadToolDefinition } from "./tool-factories/read.ts"
export { createWriteTool, createWriteTool as createWriteToolDefinition } from "./tool-factories/write.ts"
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateTail,
} from "./truncation.ts"
export { DynamicBorder } from "./tui/border.ts"
export { Container, Spacer } from "./tui/containers.ts"
export { BorderedLoader } from "./tui/loader.ts"
export { Markdown } from "./tui/markdown.ts"
export { Text } from "./tui/text.ts"
export { Type } from "./typebox.ts"

/** Of the package whose names these are. */
export const VERSION = "0.73.1"

const packageName = "@mariozechner/pi-coding-agent"
const needsAgent = (name: string): unknown => unavailable(name, "an agent of its own", packageName)

export const AuthStorage = needsAgent("AuthStorage")
export const createAgentSession = needsAgent("createAgentSession")
export const createExtensionRuntime = needsAgent("createExtensionRuntime")
export const DefaultResourceLoader = needsAgent("DefaultResourceLoader")
export const ModelRegistry = needsAgent("ModelRegistry")
export const SessionManager = needsAgent("SessionManager")
export const SettingsManager = needsAgent("SettingsManager")
export const CustomEditor = unavailable("CustomEditor", "a screen of its own", packageName)
