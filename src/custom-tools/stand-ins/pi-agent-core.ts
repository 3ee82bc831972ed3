/** `pi-agent-core`: tools take types of it, which are gone when they run. What runs an agent throws. */

export { convertToLlm, serializeConversation } from "./messages.ts"
export {
  calculateContextTokens,
  DEFAULT_COMPACTION_SETTINGS,
  estimateTokens,
  findCutPoint,
  findTurnStartIndex,
  getLastAssistantUsage,
  shouldCompact,
} from "./session-context.ts"
export {
  DEFAULT_MAX_BYTES,
  DEFAULT_MAX_LINES,
  formatSize,
  GREP_MAX_LINE_LENGTH,
  truncateHead,
  truncateLine,
  truncateTail,
} from "./truncation.ts"
export { uuidv7 } from "./values.ts"
