/** `pi-coding-agent`: the parts that tools use. Functions that run an agent, or belong to its screen, throw. */
import { createBashTool } from "./tool-factories/bash.ts"
import { createEditTool } from "./tool-factories/edit.ts"
import { createFindTool } from "./tool-factories/find.ts"
import { createGrepTool } from "./tool-factories/grep.ts"
import { createLsTool } from "./tool-factories/ls.ts"
import { createReadTool } from "./tool-factories/read.ts"
import { createWriteTool } from "./tool-factories/write.ts"

export { getDocsPath, getExamplesPath, getPackageDir, getReadmePath } from "./agent-folder.ts"
export {
  generateDiffString,
  generateUnifiedPatch,
  getLanguageFromPath,
  highlightCode,
  renderDiff,
} from "./code-text.ts"
export { defineTool } from "./define-tool.ts"
export { createEventBus } from "./event-bus.ts"
export { withFileMutationQueue } from "./file-mutation-queue.ts"
export { parseFrontmatter, stripFrontmatter } from "./frontmatter.ts"
export { keyHint, keyText, rawKeyHint } from "./key-hints.ts"
export { convertToLlm, serializeConversation } from "./messages.ts"
export {
  buildContextEntries,
  buildSessionContext,
  buildSessionProjection,
  CURRENT_SESSION_VERSION,
  calculateContextTokens,
  DEFAULT_COMPACTION_SETTINGS,
  estimateTokens,
  findCutPoint,
  findTurnStartIndex,
  getLastAssistantUsage,
  getLatestCompactionEntry,
  parseSessionEntries,
  sessionEntryToContextMessages,
  shouldCompact,
} from "./session-context.ts"
export { formatSkillsForPrompt, parseSkillBlock } from "./skills.ts"
export { StringEnum } from "./string-enum.ts"
export {
  getEditorTheme,
  getMarkdownTheme,
  getSelectListTheme,
  getSettingsListTheme,
  initTheme,
} from "./themes.ts"
export {
  isBashToolResult,
  isEditToolResult,
  isFindToolResult,
  isGrepToolResult,
  isLsToolResult,
  isPowerShellToolResult,
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
export { truncateToVisualLines } from "./tui/truncated.ts"
export { Type } from "./typebox.ts"
export { createSyntheticSourceInfo } from "./values.ts"

/** The version of the replaced package. */
export const VERSION = "0.73.1"

export const createCodingTools = (cwd: string): Array<unknown> => [
  createReadTool(cwd),
  createBashTool(cwd),
  createEditTool(cwd),
  createWriteTool(cwd),
]

export const createReadOnlyTools = (cwd: string): Array<unknown> => [
  createReadTool(cwd),
  createGrepTool(cwd),
  createFindTool(cwd),
  createLsTool(cwd),
]

export const getShellConfig = (): { readonly shell: string; readonly args: Array<string> } => ({
  shell: "bash",
  args: ["-c"],
})
