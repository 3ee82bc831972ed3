/** `pi-tui`: components that draw themselves in lines. What drives a whole screen throws. */
import { unavailable } from "./unavailable.ts"

export { CURSOR_MARKER, truncateToWidth, visibleWidth, wrapTextWithAnsi } from "./tui/ansi-text.ts"
export { Box, Container, Spacer } from "./tui/containers.ts"
export { Editor } from "./tui/editor.ts"
export { fuzzyFilter } from "./tui/fuzzy.ts"
export { Input } from "./tui/input.ts"
export { Key } from "./tui/key-names.ts"
export { isKeyRelease, matchesKey, parseKey } from "./tui/keys.ts"
export { Markdown } from "./tui/markdown.ts"
export { SelectList } from "./tui/select-list.ts"
export { SettingsList } from "./tui/settings-list.ts"
export { Text } from "./tui/text.ts"

const needsScreen = (name: string): unknown =>
  unavailable(name, "a screen of its own", "@mariozechner/pi-tui")

export const ProcessTerminal = needsScreen("ProcessTerminal")
export const TUI = needsScreen("TUI")
