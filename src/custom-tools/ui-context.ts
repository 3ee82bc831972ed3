/** How foreign tools communicate with the user. Without a screen, every question is answered as if the user had declined it. */
import { plainTheme, type Theme } from "./theme.ts"

/** When a dialog is dismissed. */
export interface DialogOptions {
  /** Aborting it dismisses the dialog. */
  readonly signal?: AbortSignal
  /** Milliseconds until the dialog dismisses itself. */
  readonly timeout?: number
}

/** A component that renders itself as lines, as published by both runtimes. */
export interface Component {
  render(width: number): Array<string>
  handleInput?(data: string): void
  invalidate?(): void
}

/** The UI for tools. A host with a screen implements as much as it can, and takes the rest from `noOpUI`. */
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
  /** Additions of later versions: presentation that a host can ignore. */
  readonly [later: string]: unknown
}

const ignore = (): void => undefined
const nothing = async (): Promise<undefined> => undefined

/** The answers of a host without a user. Source: the no-op UI of both published packages. */
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
