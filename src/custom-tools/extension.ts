/** Tools and extensions of pi: their types as authors import them. Source: the published package, 0.73. */
import type { Static, TSchema } from "@sinclair/typebox"
import type { AgentToolResult, AgentToolUpdateCallback } from "./agent-tool-result.ts"
import type { CustomToolAPI, LooseSchema } from "./custom-tool.ts"
import type {
  ExtensionEvents,
  ToolCallAnswer,
  ToolCallEvent,
  ToolResultAnswer,
  ToolResultEvent,
} from "./extensions/extension-events.ts"
import type { ExtensionEvent } from "./session-events.ts"
import type { SessionManager } from "./session-manager.ts"
import type { Theme } from "./theme.ts"
import type { Component, UIContext } from "./ui-context.ts"

/** What a renderer of pi's is told of the call that it draws. */
export interface ToolRenderContext<TArgs = unknown> {
  readonly args: TArgs
  readonly toolCallId: string
  readonly expanded: boolean
  readonly isPartial: boolean
  readonly isError: boolean
  readonly cwd: string
  /** Kept from one drawing of a call to the next. */
  readonly state: Record<string, unknown>
  readonly lastComponent: Component | undefined
  readonly executionStarted: boolean
  readonly argsComplete: boolean
  readonly showImages: boolean
  invalidate(): void
}

/** Without a type of their own, its parameters are taken for whatever its functions read of them. */
export interface ToolDefinition<TParams extends TSchema = LooseSchema, TDetails = unknown> {
  name: string
  /** Default: the name. */
  label?: string
  description: string
  parameters: TParams
  promptSnippet?: string
  promptGuidelines?: Array<string>
  /** Rewrites what the model sent before it is validated. */
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

/** A tool whose parameters' type nobody knows. */
// biome-ignore lint/suspicious/noExplicitAny: execute takes parameters of the author's own type, which no other type accepts.
export type AnyToolDefinition = ToolDefinition<any, any>

/** What listeners and tools of an extension are told of their session. */
export interface ExtensionContext {
  readonly ui: UIContext
  readonly hasUI: boolean
  /** How the agent runs. Components of a screen are for `tui`, dialogs for `rpc` too. */
  readonly mode: string
  readonly cwd: string
  readonly sessionManager: SessionManager
  readonly modelRegistry: unknown
  readonly model: unknown
  /** The models that the session is limited to; empty where it is to none. */
  readonly scopedModels: ReadonlyArray<unknown>
  readonly thinkingLevel: string | undefined
  /** The call's; undefined where the agent is idle. */
  readonly signal: AbortSignal | undefined
  isIdle(): boolean
  /** Whether the user trusts the project that the agent works in. */
  isProjectTrusted(): boolean
  /** Cancels the agent's foreground calls and tells the host. */
  abort(): void
  hasPendingMessages(): boolean
  shutdown(): void
  getContextUsage(): { tokens: number | null; contextWindow: number; percent: number | null } | undefined
  compact(options?: unknown): void
  getSystemPrompt(): string
}

/** What commands, which a user starts, are given besides. Where there is no session to change, it is turned down. */
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

/** One whose answer matters; it need not give one. */
type AnsweringListener<Event, Answer> = (
  event: Event,
  ctx: ExtensionContext,
  // biome-ignore lint/suspicious/noConfusingVoidType: what does not answer returns nothing.
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

/** As in a file `mcp.json`: a program to start, or an address. */
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
  /** Gives a function that ends the listening. */
  on(channel: string, listener: (data: unknown) => unknown): () => void
}

/** What a tool is to the model. */
export interface ToolInfo {
  readonly name: string
  readonly description: string
  readonly parameters: unknown
}

/** What extension factories are given, each its own: pi's object and oh-my-pi's in one. */
export interface ExtensionAPI extends CustomToolAPI {
  /**
   * Listens for a type of events; all listeners are awaited, in the order of their registration. Gives a function that
   * ends the listening.
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
  sendMessage(message: unknown, options?: unknown): void
  sendUserMessage(content: unknown, options?: unknown): void
  appendEntry(customType: string, data?: unknown): void
  setSessionName(name: string): void
  getSessionName(): string | undefined
  setLabel(entryId: string, label?: string): void
  getActiveTools(): Array<string>
  getAllTools(): Array<ToolInfo>
  setActiveTools(names: Array<string>): void
  getCommands(): Array<{ readonly name: string; readonly description?: string }>
  setModel(model: unknown): Promise<boolean>
  getThinkingLevel(): string
  setThinkingLevel(level: string): void
  registerEntryRenderer(customType: string, renderer: unknown): void
  registerToolRenderer(resolver: unknown): void
  registerMarkdownTransformer(transformer: unknown, options?: unknown): void
  registerAssistantThinkingRenderer(renderer: unknown): void
  registerProvider(provider: unknown, config?: unknown): void
  unregisterProvider(name: string): void
  registerVirtualModel(model: unknown): void
  unregisterVirtualModel(provider: string, id: string): void
  /** Throws for what is no server, and for a name that another extension has. */
  registerMcpServer(name: string, config: McpServerConfig): void
  unregisterMcpServer(name: string): void
  /** Those of all extensions. */
  getMcpServers(): Array<RegisteredMcpServer>
  /** A copy of the host's. */
  getSettings(): Readonly<Record<string, unknown>>
  readonly events: EventBus
}

/** The default export of a module. */
export type ExtensionFactory = (pi: ExtensionAPI) => void | Promise<void>
