/// <reference types="node" preserve="true" />
export {
  approvedBlock,
  type Block,
  type BlockPreview,
  type BlockStatus,
  foldBlock,
  isFinished,
  maxBlockText,
  queuedBlock,
  taskBlock,
} from "./block.ts"
export { BlockList } from "./block-list.ts"
export { BlockView, type BlockViewOptions } from "./block-view.ts"
export { LineHistory } from "./line-history.ts"
export type { TerminalOutput } from "./live-region.ts"
export { printable } from "./printable.ts"
export { renderBlock } from "./render-block.ts"
export type { RenderBlockOptions } from "./render-options.ts"
export {
  type RenderPartOptions,
  type RenderPromptOptions,
  type RenderResultOptions,
  type RenderStatusOptions,
  renderApprovalPrompt,
  renderPrefix,
  renderResult,
  renderStatus,
} from "./render-parts.ts"
export { Session } from "./session.ts"
export type { SessionOptions } from "./session-options.ts"
