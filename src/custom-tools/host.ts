/** What the program that runs the tools can give them. All of it is optional: what is missing has an answer that fits a host without a screen, a model or a history. */
import type { Logger } from "./logger.ts"
import type { SessionManager } from "./session-manager.ts"
import type { UIContext } from "./ui-context.ts"

/** What a host decides the need of an approval by. */
export interface ApprovalSubject {
  readonly name: string
  readonly label: string
  /** Whether the tool says that it only reads. A hint: it promises nothing. */
  readonly readOnly: boolean
}

/**
 * Properties are read when a tool needs them, so that a host may fill or change them later; give getters or one
 * object that you keep.
 */
export interface CustomToolHost {
  /** The agent's working directory. Default: that of `CustomTools.load`, else the executor's during a call, else the process's. */
  readonly cwd?: string
  /** Default `noOpUI`. */
  readonly ui?: UIContext
  /** Whether somebody is there to answer `ui`. Default false. */
  readonly hasUI?: boolean
  /** How the agent runs. Default: `rpc`, which has dialogs and no components, where `hasUI`; else `print`. */
  readonly mode?: "tui" | "rpc" | "json" | "print"
  /** Whether a call waits for approval. Default: yes, unless the tool says that it only reads. */
  readonly approval?: boolean | ((tool: ApprovalSubject, params: unknown) => boolean)
  /** Default: a small one in memory that holds the results of the foreign tools. */
  readonly sessionManager?: SessionManager
  /** Default: one that knows no models. */
  readonly modelRegistry?: unknown
  readonly model?: unknown
  /** The models that the session is limited to. Default: none, which stands for all. */
  readonly scopedModels?: ReadonlyArray<unknown>
  /** What extensions are told that the agent is set to. Default: nothing. */
  readonly settings?: Readonly<Record<string, unknown>>
  /** Default: a file under the user's state folder. */
  readonly logger?: Logger
  /** Whether the agent's model is at rest. Default: false during a call, else true. */
  isIdle?(): boolean
  /** Whether the user trusts the project. Default: no. */
  isProjectTrusted?(): boolean
  /** Whether messages of the user wait. Default: no. */
  hasPendingMessages?(): boolean
  /** Told that a tool ended the agent's turn with `ctx.abort()`, once its foreground calls are cancelled. */
  onAbort?(agentId: string): void
  /** Ends the program, as `ctx.shutdown()` asks. Default: a note in the log. */
  shutdown?(): void
  /** Default: undefined, which tools take for unknown. */
  getContextUsage?(): { tokens: number | null; contextWindow: number; percent: number | null } | undefined
  compact?(options?: unknown): void
  /** Default: an empty text. */
  getSystemPrompt?(): string
  sendMessage?(message: unknown, options?: unknown): void
  /** Default: a note in the log. */
  sendUserMessage?(content: unknown, options?: unknown): void
  appendEntry?(customType: string, data?: unknown): void
  setSessionName?(name: string): void
  setLabel?(entryId: string, label: string | undefined): void
  setModel?(model: unknown): Promise<boolean>
  getThinkingLevel?(): string
  setThinkingLevel?(level: string): void
  /** The values of the flags that extensions register. Default: the flags' own defaults. */
  readonly flags?: Readonly<Record<string, boolean | string>>
}
