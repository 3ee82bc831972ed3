/** pi's editor with the keys of its application, based on the library's: made on first use. */
import type { Component } from "../../ui-context.ts"
import { needsTerminalLibrary } from "../unavailable.ts"
import { terminalLibrary } from "./terminal-library.ts"

interface Editor extends Component {
  handleInput(data: string): void
  getText(): string
  isShowingAutocomplete(): boolean
}

interface Keybindings {
  matches(data: string, keybinding: string): boolean
}

type EditorClass = new (tui: unknown, theme: unknown, options?: unknown) => Editor

const extend = (Editor: EditorClass) =>
  class CustomEditor extends Editor {
    readonly actionHandlers = new Map<string, () => void>()
    onEscape?: () => void
    onCtrlD?: () => void
    onPasteImage?: () => void
    onExtensionShortcut?: (data: string) => boolean
    private readonly keybindings: Keybindings | undefined

    constructor(tui: unknown, theme: unknown, keybindings?: Keybindings, options?: unknown) {
      super(tui, theme, options)
      this.keybindings = keybindings
    }

    onAction(action: string, handler: () => void): void {
      this.actionHandlers.set(action, handler)
    }

    override handleInput(data: string): void {
      if (this.onExtensionShortcut?.(data) === true) return
      const handler = this.actionFor(data)
      if (handler === undefined) super.handleInput(data)
      else handler()
    }

    private actionFor(data: string): (() => void) | undefined {
      const is = (keybinding: string) => this.keybindings?.matches?.(data, keybinding) === true
      if (is("app.clipboard.pasteImage")) return this.onPasteImage
      const name = [...this.actionHandlers.keys(), "app.interrupt", "app.exit"].find(is)
      if (name === "app.interrupt" && this.isShowingAutocomplete()) return undefined
      if (name === "app.exit" && this.getText() !== "") return undefined
      const own = { "app.interrupt": this.onEscape, "app.exit": this.onCtrlD }[name ?? ""]
      return own ?? this.actionHandlers.get(name ?? "")
    }
  }

let made: unknown

export const customEditor = (): unknown => {
  const library = terminalLibrary()
  made ??=
    library === undefined ? needsTerminalLibrary("CustomEditor") : extend(library.Editor as EditorClass)
  return made
}
