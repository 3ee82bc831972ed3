/** Tools and extensions of pi: their types as authors import them. Source: the published package, 0.73. */
import type { Static, TSchema } from "@sinclair/typebox"
import type {
  AgentToolResult,
  AgentToolUpdateCallback,
  CustomToolAPI,
  CustomToolContext,
  LooseSchema,
} from "./custom-tool.ts"
import type { ContextUsage, HostRequests } from "./host.ts"
import type {
  ExtensionEvent,
  ExtensionEvents,
  ToolCallAnswer,
  ToolCallEvent,
  ToolResultAnswer,
  ToolResultEvent,
} from "./session-events.ts"
import type { Theme } from "./theme.ts"
import type { Component, UIContext } from "./ui-context.ts"

/** The context of a pi renderer, about the call that it draws. */
export interface ToolRenderContext<TArgs = unknown> {
  readonly args: TArgs
  readonly toolCallId: string
  readonly expanded: boolean
  readonly isPartial: boolean
  readonly isError: boolean
  readonly cwd: string
  /** Kept between renderings of a call. */
  readonly state: Record<string, unknown>
  readonly lastComponent: Component | undefined
  readonly executionStarted: boolean
  readonly argsComplete: boolean
  readonly showImages: boolean
  invalidate(): void
}

/** A tool of pi. Without a type argument, its functions can read any property of its parameters. */
export interface ToolDefinition<TParams extends TSchema = LooseSchema, TDetails = unknown> {
  name: string
  /** Default: the name. */
  label?: string
  description: string
  parameters: TParams
  promptSnippet?: string
  promptGuidelines?: Array<string>
  /** Rewrites the model's arguments before they are validated. */
  prepareArguments?(args: unknown): unknown
  executionMode?: "sequential" | "parallel"
  execute(
    toolCallId: string,
    params: Static<TParams>,
    signal: AbortSignal | undefined,
    onUpdate: AgentToolUpdateCallback<TDetails> | undefined,
    ctx: ExtensionContext,
  ): AgentToolResult<TDetails> | Promise<AgentToolResult<TDetails>>
  renderCall?(
    args: Static<TParams>,
    theme: Theme,
    context: ToolRenderContext<Static<TParams>>,
  ): string | Component | undefined
  renderResult?(
    result: AgentToolResult<TDetails>,
    options: { readonly expanded: boolean; readonly isPartial: boolean },
    theme: Theme,
    context: ToolRenderContext<Static<TParams>>,
  ): string | Component | undefined
}

/** A tool with an unknown parameter type. */
// biome-ignore lint/suspicious/noExplicitAny: execute takes parameters of the author's own type, which no other type accepts.
export type AnyToolDefinition = ToolDefinition<any, any>

/** The session context for listeners and tools of an extension. */
export interface ExtensionContext extends Omit<CustomToolContext, "sessionId" | "hasQueuedMessages"> {
  readonly ui: UIContext
  readonly hasUI: boolean
  /** How the agent runs. `tui` supports screen components and dialogs, `rpc` only dialogs. */
  readonly mode: string
  /** The models that the session is limited to; empty if there is no limit. */
  readonly scopedModels: ReadonlyArray<unknown>
  readonly thinkingLevel: string | undefined
  /** The call's signal; undefined if the agent is idle. */
  readonly signal: AbortSignal | undefined
  /** Whether the user trusts the agent's project. */
  isProjectTrusted(): boolean
  hasPendingMessages(): boolean
  shutdown(): void
  getContextUsage(): ContextUsage | undefined
  compact(options?: unknown): void
  getSystemPrompt(): string
}

/** The additional context of commands, which a user starts. Requests to change the session are refused if there is none. */
export interface ExtensionCommandContext extends ExtensionContext {
  getSystemPromptOptions(): Readonly<Record<string, unknown>>
  waitForIdle(): Promise<void>
  newSession(options?: unknown): Promise<{ cancelled: boolean }>
  fork(entryId: string, options?: unknown): Promise<{ cancelled: boolean }>
  /** oh-my-pi's name for `fork`. */
  branch(entryId: string): Promise<{ cancelled: boolean }>
  navigateTree(targetId: string, options?: unknown): Promise<{ cancelled: boolean }>
  switchSession(sessionPath: string, options?: unknown): Promise<{ cancelled: boolean }>
  reload(): Promise<void>
}

/** Listens for any type of events. */
export type ExtensionListener = (event: ExtensionEvent, ctx: ExtensionContext) => unknown

/** A listener whose return value matters; it is optional. */
type AnsweringListener<Event, Answer> = (
  event: Event,
  ctx: ExtensionContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: a listener without an answer returns nothing.
) => Answer | undefined | void | Promise<Answer | undefined | void>

/** A command that an extension registers for people. */
export interface ExtensionCommand {
  readonly description?: string
  handler(args: string, ctx: ExtensionCommandContext): unknown
  getArgumentCompletions?(prefix: string): unknown
}

/** An option that an extension registers for the command line. */
export interface ExtensionFlag {
  readonly description?: string
  readonly type: "boolean" | "string"
  readonly default?: boolean | string
}

/** A server as in `mcp.json`: a program to start, or an address. */
export interface McpServerConfig {
  readonly command?: string
  readonly args?: ReadonlyArray<string>
  readonly url?: string
  readonly [field: string]: unknown
}

/** A server that an extension has registered. */
export interface RegisteredMcpServer {
  readonly name: string
  readonly config: McpServerConfig
  /** The file of the extension that registered it. */
  readonly extensionPath: string
}

/** Channels between extensions. */
export interface EventBus {
  emit(channel: string, data: unknown): void
  /** Returns a function that removes the listener. */
  on(channel: string, listener: (data: unknown) => unknown): () => void
}

/** A tool as described to the model. */
export interface ToolInfo {
  readonly name: string
  readonly description: string
  readonly parameters: unknown
}

/** The argument of an extension factory, separate for each: pi's object and oh-my-pi's in one. */
export interface ExtensionAPI extends CustomToolAPI, HostRequests {
  /**
   * Adds a listener for a type of events; all listeners are awaited, in the order of registration. Returns a function that
   * removes the listener.
   */
  on(event: "tool_call", listener: AnsweringListener<ToolCallEvent, ToolCallAnswer>): () => void
  on(event: "tool_result", listener: AnsweringListener<ToolResultEvent, ToolResultAnswer>): () => void
  on<Type extends keyof ExtensionEvents>(
    event: Type,
    listener: (event: ExtensionEvents[Type], ctx: ExtensionContext) => unknown,
  ): () => void
  on(event: string, listener: ExtensionListener): () => void
  registerTool<TParams extends TSchema = TSchema, TDetails = unknown>(
    tool: ToolDefinition<TParams, TDetails>,
  ): void
  registerCommand(name: string, command: ExtensionCommand): void
  registerShortcut(shortcut: string, options: unknown): void
  registerFlag(name: string, flag: ExtensionFlag): void
  getFlag(name: string): boolean | string | undefined
  registerMessageRenderer(customType: string, renderer: unknown): void
  getSessionName(): string | undefined
  getActiveTools(): Array<string>
  getAllTools(): Array<ToolInfo>
  setActiveTools(names: Array<string>): void
  getCommands(): Array<{ readonly name: string; readonly description?: string }>
  registerEntryRenderer(customType: string, renderer: unknown): void
  registerToolRenderer(resolver: unknown): void
  registerMarkdownTransformer(transformer: unknown, options?: unknown): void
  registerAssistantThinkingRenderer(renderer: unknown): void
  registerProvider(provider: unknown, config?: unknown): void
  unregisterProvider(name: string): void
  registerVirtualModel(model: unknown): void
  unregisterVirtualModel(provider: string, id: string): void
  /** Throws for an invalid configuration, and for a name that another extension uses. */
  registerMcpServer(name: string, config: McpServerConfig): void
  unregisterMcpServer(name: string): void
  /** The servers of all extensions. */
  getMcpServers(): Array<RegisteredMcpServer>
  /** A copy of the host's settings. */
  getSettings(): Readonly<Record<string, unknown>>
  readonly events: EventBus
}

/** The default export of a module. */
export type ExtensionFactory = (pi: ExtensionAPI) => void | Promise<void>
