/** `pi-coding-agent`: what tools use of it. What runs an agent, or belongs to its screen, throws. */
import { unavailable } from "./unavailable.ts"

export { getAgentDir } from "./agent-folder.ts"
export { withFileMutationQueue } from "./file-mutation-queue.ts"
export { parseFrontmatter, stripFrontmatter } from "./frontmatter.ts"
export { keyHint, keyText, rawKeyHint } from "./key-hints.ts"
export { convertToLlm, serializeConversation } from "./messages.ts"
export { StringEnum } from "./string-enum.ts"
export {
  getLanguageFromPath,
  getMarkdownTheme,
  getSelectListTheme,
  getSettingsListTheme,
  highlightCode,
} from "./themes.ts"
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
export { createLocalBashOperations } from "./tool-factories/bash-operations.ts"
export { createEditTool, createEditTool as createEditToolDefinition } from "./tool-factories/edit.ts"
export { createFindTool, createFindTool as createFindToolDefinition } from "./tool-factories/find.ts"
export { createGrepTool, createGrepTool as createGrepToolDefinition } from "./tool-factories/grep.ts"
export { createLsTool, createLsTool as createLsToolDefinition } from "./tool-factories/ls.ts"
export { createCodingTools, createReadOnlyTools } from "./tool-factories/presets.ts"
export { createReadTool, createReadTool as createReadToolDefinition } from "./tool-factories/read.ts"
export { createWriteTool, createWriteTool as createWriteToolDefinition } from "./tool-factories/write.ts"
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  truncateHead,
  truncateLine,
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

/** For TypeScript: keeps the types of a tool's parameters. */
export const defineTool = <Tool>(tool: Tool): Tool => tool

const packageName = "@mariozechner/pi-coding-agent"
const needsAgent = (name: string): unknown => unavailable(name, "an agent of its own", packageName)
const needsScreen = (name: string): unknown => unavailable(name, "a screen of its own", packageName)

export const AuthStorage = needsAgent("AuthStorage")
export const createAgentSession = needsAgent("createAgentSession")
export const createExtensionRuntime = needsAgent("createExtensionRuntime")
export const DefaultResourceLoader = needsAgent("DefaultResourceLoader")
export const ModelRegistry = needsAgent("ModelRegistry")
export const SessionManager = needsAgent("SessionManager")
export const SettingsManager = needsAgent("SettingsManager")

export const copyToClipboard = needsScreen("copyToClipboard")
export const CustomEditor = needsScreen("CustomEditor")
