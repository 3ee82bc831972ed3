/** The results of the loaders: tools with their origin, and what could not be loaded. */
import type { AnyCustomTool } from "./custom-tool.ts"
import type { AnyToolDefinition } from "./extension.ts"
import type { AnyTool } from "./tool-shape.ts"
import type { UIContext } from "./ui-context.ts"

/** The argument order of a pi tool's `execute`. `legacy`: before pi 0.51. */
export type ArgumentOrder = "current" | "legacy"

/** The provider that found a module. */
export interface ToolSource {
  /** `native`, `claude`, `codex`, `claude-plugins`, `plugin`, `pi` or `config`. */
  readonly provider: string
  /** The provider's name for people. */
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
  /** Whether it runs in a process of its own. Default: that of the load. */
  readonly isolate?: "process"
}

interface Loaded {
  /** As given. */
  readonly path: string
  /** Absolute. */
  readonly resolvedPath: string
  readonly source?: ToolSource
}

/** A tool of oh-my-pi, and its origin. */
export interface LoadedCustomTool extends Loaded {
  readonly tool: AnyCustomTool
}

/** A tool of pi, and its origin. */
export interface LoadedExtensionTool extends Loaded {
  readonly tool: AnyToolDefinition
  readonly argumentOrder?: ArgumentOrder
}

/** A module that could not be loaded, and why. */
export interface ToolLoadError {
  /** As given. */
  readonly path: string
  /** The absolute file for `path`; absent if it equals `path`, or there is none. */
  readonly resolvedPath?: string
  readonly error: string
  readonly source?: ToolSource
}

/** The loaded tools, and what could not be loaded. */
export interface LoadedCustomTools {
  readonly tools: Array<LoadedCustomTool>
  readonly errors: Array<ToolLoadError>
  /** Sets the screen of the tools' API object, once there is one. */
  setUIContext(ui: UIContext, hasUI: boolean): void
}

/** Makes an error entry. `error`: the whole sentence. */
export const toolLoadError = (
  { path, resolvedPath = path, source }: ToolPath & Partial<Loaded>,
  error: string,
): ToolLoadError => ({
  path,
  ...(resolvedPath !== path && { resolvedPath }),
  error,
  ...(source && { source }),
})

/** The returned tools, undefined for each invalid one; or undefined if nothing was returned. */
export type ReturnedTools = ReadonlyArray<AnyTool | undefined> | undefined

export type Factory = (api: object) => Promise<ReturnedTools>

/** A module's factory, and the problems of single tools of it that are known already; or why there is none. */
export type OpenedModule =
  | { readonly factory: Factory; readonly errors?: ReadonlyArray<string> }
  | { readonly error: string }
