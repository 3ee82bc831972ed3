/** `pi-agent-core`: tools import its types, which do not exist at run time. Functions that run an agent throw. */

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
