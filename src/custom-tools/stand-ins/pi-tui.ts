/** `pi-tui`: what draws itself in lines is ours; what takes keys, shows images or drives a screen is the library's. */

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
