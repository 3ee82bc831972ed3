/**
 * `pi-tui`: components that only draw lines are ours; those that take keys, show images or control a screen come from the
 * library.
 */
import * as ansiText from "./tui/ansi-text.ts"
import * as components from "./tui/components.ts"
import { Key } from "./tui/key-names.ts"
import { Markdown } from "./tui/markdown.ts"

export const piTui: Readonly<Record<string, unknown>> = {
  ...ansiText,
  ...components,
  Key,
  Markdown,
}
