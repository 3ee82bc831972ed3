/**
 * What a host can provide to foreign tools. Everything is optional: the defaults fit a host without a screen, a model or a
 * history.
 */
import type { SessionManager } from "./session-manager.ts"
import type { UIContext } from "./ui-context.ts"

/** The log for tools of other agents and their loader: messages that no user has to see. */
export interface Logger {
  error(message: string, context?: Readonly<Record<string, unknown>>): void
  warn(message: string, context?: Readonly<Record<string, unknown>>): void
  info(message: string, context?: Readonly<Record<string, unknown>>): void
  debug(message: string, context?: Readonly<Record<string, unknown>>): void
}

/** The tool for which a host decides whether it needs an approval. */
export interface ApprovalSubject {
  readonly name: string
  readonly label: string
  /** Whether the tool declares itself read-only. A hint without a guarantee. */
  readonly readOnly: boolean
}

/** How much of its context window a conversation takes. */
export interface ContextUsage {
  readonly tokens: number | null
  readonly contextWindow: number
  readonly percent: number | null
}

/** What extensions ask of their host, about the session and its model. */
export interface HostRequests {
  sendMessage(message: unknown, options?: unknown): void
  /** A host without it writes a note to the log. */
  sendUserMessage(content: unknown, options?: unknown): void
  appendEntry(customType: string, data?: unknown): void
  setSessionName(name: string): void
  setLabel(entryId: string, label?: string): void
  setModel(model: unknown): Promise<boolean>
  getThinkingLevel(): string
  setThinkingLevel(level: string): void
}

/**
 * The host of foreign tools. Properties are read when a tool needs them, so a host can set or change them later: use
 * getters, or keep the object.
 */
export interface CustomToolHost extends Partial<HostRequests> {
  /** The agent's working directory. Default: that of `CustomTools.load`, else the executor's during a call, else the process's. */
  readonly cwd?: string
  /** Default `noOpUI`. */
  readonly ui?: UIContext
  /** Whether a person can answer `ui`. Default false. */
  readonly hasUI?: boolean
  /** How the agent runs. Default: `rpc`, which has dialogs and no components, if `hasUI`; else `print`. */
  readonly mode?: "tui" | "rpc" | "json" | "print"
  /** Whether a call waits for approval. Default: yes, unless the tool declares itself read-only. */
  readonly approval?: boolean | ((tool: ApprovalSubject, params: unknown) => boolean)
  /** Default: a small one in memory with the results of the foreign tools. */
  readonly sessionManager?: SessionManager
  /** Default: one without models. */
  readonly modelRegistry?: unknown
  readonly model?: unknown
  /** The models that the session is limited to. Default: no limit. */
  readonly scopedModels?: ReadonlyArray<unknown>
  /** The agent's settings, for extensions. Default: none. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Default: a file under the user's state folder. */
  readonly logger?: Logger
  /** Whether the agent's model is idle. Default: false during a call, else true. */
  isIdle?(): boolean
  /** Whether the user trusts the project. Default: no. */
  isProjectTrusted?(): boolean
  /** Whether messages of the user wait. Default: no. */
  hasPendingMessages?(): boolean
  /** Called when a tool has ended the agent's turn with `ctx.abort()`, after the foreground calls were cancelled. */
  onAbort?(agentId: string): void
  /** Ends the program, for `ctx.shutdown()`. Default: a note in the log. */
  shutdown?(): void
  /** Default: undefined, which means unknown. */
  getContextUsage?(): ContextUsage | undefined
  compact?(options?: unknown): void
  /** Default: an empty text. */
  getSystemPrompt?(): string
  /** The values of the flags that extensions register. Default: the flags' own defaults. */
  readonly flags?: Readonly<Record<string, boolean | string>>
}
