/**
 * pi's own terminal library, if it is installed beside stepline: for components that take keys or show images. Loaded when a
 * tool first uses one; most tools only draw.
 */
import { requireBeside } from "../../../io/beside.ts"
import { isMissingModule } from "../../../io/missing-module.ts"
import type { Component } from "../../ui-context.ts"
import { needsTerminalLibrary } from "../unavailable.ts"

type Library = Readonly<Record<string, unknown>>

let loaded: { readonly library: Library | undefined } | undefined

const load = (): Library | undefined => {
  try {
    return requireBeside("@mariozechner/pi-tui")
  } catch (error) {
    if (isMissingModule(error)) return undefined
    throw error
  }
}

/** Returns undefined if it is not installed. */
const terminalLibrary = (): Library | undefined => {
  loaded ??= { library: load() }
  return loaded.library
}

/** An export of the library; else a stand-in that throws an error about the missing library. */
export const terminalPart = (name: string): unknown => terminalLibrary()?.[name] ?? needsTerminalLibrary(name)

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
