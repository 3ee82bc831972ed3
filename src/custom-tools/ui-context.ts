/** How foreign tools talk to the user. Without a screen every question is answered as if the user had turned it down. */
import { plainTheme, type Theme } from "./theme.ts"

/** When a dialog is dismissed. */
export interface DialogOptions {
  /** Aborting it dismisses the dialog. */
  readonly signal?: AbortSignal
  /** Milliseconds until the dialog dismisses itself. */
  readonly timeout?: number
}

/** A component that draws itself in lines, as both runtimes publish it. */
export interface Component {
  render(width: number): Array<string>
  handleInput?(data: string): void
  invalidate?(): void
}

/** What tools call; a host with a screen implements as much as it can and takes the rest from `noOpUI`. */
export interface UIContext {
  select(title: string, options: Array<string>, dialog?: DialogOptions): Promise<string | undefined>
  confirm(title: string, message: string, dialog?: DialogOptions): Promise<boolean>
  input(title: string, placeholder?: string, dialog?: DialogOptions): Promise<string | undefined>
  editor(title: string, prefill?: string): Promise<string | undefined>
  notify(message: string, type?: "info" | "warning" | "error"): void
  custom<T>(factory: (...parts: Array<unknown>) => unknown, options?: unknown): Promise<T | undefined>
  setStatus(key: string, text: string | undefined): void
  setWidget(key: string, content: unknown, options?: unknown): void
  setTitle(title: string): void
  setEditorText(text: string): void
  getEditorText(): string
  readonly theme: Theme
  /** What later versions added: presentation that a host without such a place ignores. */
  readonly [later: string]: unknown
}

const ignore = (): void => undefined
const nothing = async (): Promise<undefined> => undefined

/** Answers for a host without a user. Source: the no-op UI of both published packages. */
export const noOpUI: UIContext = {
  select: nothing,
  confirm: async () => false,
  input: nothing,
  editor: nothing,
  custom: nothing,
  notify: ignore,
  onTerminalInput: () => ignore,
  setStatus: ignore,
  setWorkingMessage: ignore,
  setWorkingVisible: ignore,
  setWorkingIndicator: ignore,
  setHiddenThinkingLabel: ignore,
  setWidget: ignore,
  setFooter: ignore,
  setHeader: ignore,
  setTitle: ignore,
  pasteToEditor: ignore,
  setEditorText: ignore,
  getEditorText: () => "",
  addAutocompleteProvider: ignore,
  setEditorComponent: ignore,
  getEditorComponent: () => undefined,
  theme: plainTheme,
  getAllThemes: () => [],
  getTheme: () => undefined,
  setTheme: () => ({ success: false, error: "There is no screen to theme." }),
  getToolsExpanded: () => false,
  setToolsExpanded: ignore,
}
