/**
 * `pi-tui`: components that only draw lines are ours; those that take keys, show images or control a screen come from the
 * library.
 */

export {
  CURSOR_MARKER,
  hyperlink,
  sliceByColumn,
  stripTerminalSequences,
  truncateToWidth,
  visibleWidth,
  wrapTextWithAnsi,
} from "./tui/ansi-text.ts"
export { Box, Container, Spacer } from "./tui/containers.ts"
export { Key } from "./tui/key-names.ts"
export { Markdown } from "./tui/markdown.ts"
export { Text } from "./tui/text.ts"
export { TruncatedText } from "./tui/truncated.ts"
