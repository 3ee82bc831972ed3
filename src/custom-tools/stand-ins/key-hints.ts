/** Key hints of renderers. Only the keys that our own components read have names: others would do nothing. */

const keys: Readonly<Record<string, string>> = {
  "tui.select.up": "up",
  "tui.select.down": "down",
  "tui.select.confirm": "enter",
  "tui.select.cancel": "escape",
  "tui.input.submit": "enter",
  "tui.input.newLine": "shift+enter",
}

/** `<key> <description>`; only the description if no key has this binding. */
export const keyHint = (keybinding: string, description: string): string =>
  Object.hasOwn(keys, keybinding) ? `${keys[keybinding]} ${description}` : description

/** The key of a binding; empty if there is none. */
export const keyText = (keybinding: string): string =>
  Object.hasOwn(keys, keybinding) ? keys[keybinding]! : ""

/** `<key> <description>` for a key that the tool reads itself. */
export const rawKeyHint = (key: string, description: string): string => `${key} ${description}`
