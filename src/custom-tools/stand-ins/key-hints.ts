/** What renderers say of keys. Only the keys that our own components read have names: elsewhere none would do anything. */

const keys: Readonly<Record<string, string>> = {
  "tui.select.up": "up",
  "tui.select.down": "down",
  "tui.select.confirm": "enter",
  "tui.select.cancel": "escape",
  "tui.input.submit": "enter",
  "tui.input.newLine": "shift+enter",
}

/** Empty for what no key does here. */
export const keyText = (keybinding: string): string =>
  Object.hasOwn(keys, keybinding) ? keys[keybinding]! : ""

export const rawKeyHint = (key: string, description: string): string => `${key} ${description}`

export const keyHint = (keybinding: string, description: string): string => {
  const key = keyText(keybinding)
  return key === "" ? description : rawKeyHint(key, description)
}
