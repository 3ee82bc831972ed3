/** What the loaders give: tools with where they came from, and what could not be loaded. */
import type { AnyCustomTool } from "./custom-tool.ts"
import type { AnyToolDefinition } from "./extension.ts"
import type { UIContext } from "./ui-context.ts"

/** Which agent's order a tool's `execute` has its arguments in. `legacy` is pi's from before 0.51. */
export type ArgumentOrder = "current" | "legacy"

/** Who found a module. */
export interface ToolSource {
  /** `native`, `claude`, `codex`, `claude-plugins`, `plugin`, `pi` or `config`. */
  readonly provider: string
  /** The same for people. */
  readonly providerName: string
  readonly level: "user" | "project"
}

/** A module to load. */
export interface ToolPath {
  /** Relative to the working directory; `~` and `file:` URLs are expanded. */
  readonly path: string
  readonly source?: ToolSource
  /** Default `"current"`. */
  readonly argumentOrder?: ArgumentOrder
}

interface Loaded {
  /** As it was given. */
  readonly path: string
  /** Absolute. */
  readonly resolvedPath: string
  readonly source?: ToolSource
}

/** A tool of oh-my-pi, and where it comes from. */
export interface LoadedCustomTool extends Loaded {
  readonly tool: AnyCustomTool
}

/** A tool of pi, and where it comes from. */
export interface LoadedExtensionTool extends Loaded {
  readonly tool: AnyToolDefinition
  readonly argumentOrder?: ArgumentOrder
}

/** A module that could not be loaded, and why. */
export interface ToolLoadError {
  /** As it was given. */
  readonly path: string
  /** The file that `path` means, absolute; absent where that is `path` itself, or where it means none. */
  readonly resolvedPath?: string
  readonly error: string
  readonly source?: ToolSource
}

/** What was loaded, and what could not be. */
export interface LoadedCustomTools {
  readonly tools: Array<LoadedCustomTool>
  readonly errors: Array<ToolLoadError>
  /** Gives the API object of all tools a screen, once there is one. */
  setUIContext(ui: UIContext, hasUI: boolean): void
}

/** `error` is the whole sentence. */
export const toolLoadError = (
  { path, resolvedPath = path, source }: ToolPath & Partial<Loaded>,
  error: string,
): ToolLoadError => ({
  path,
  ...(resolvedPath !== path && { resolvedPath }),
  error,
  ...(source && { source }),
})
