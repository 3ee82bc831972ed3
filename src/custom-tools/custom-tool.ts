/** Tools of oh-my-pi: their types as authors import them. Source: the published package, 13.19 and 18.3. */
import type * as typebox from "@sinclair/typebox"
import type { Static, TAny, TSchema } from "@sinclair/typebox"
import type { AgentToolResult, AgentToolUpdateCallback } from "./agent-tool-result.ts"
import type { Exec } from "./exec.ts"
import type { Logger } from "./logger.ts"
import type { SessionEvent } from "./session-events.ts"
import type { SessionManager } from "./session-manager.ts"
import type { Theme } from "./theme.ts"
import type { Component, UIContext } from "./ui-context.ts"

/** A preview that a tool of oh-my-pi stages: what happens when it is applied or rejected. */
export interface CustomToolPendingAction {
  /** Short: it is shown with the result of `resolve`. */
  readonly label: string
  apply(reason: string, extra?: Readonly<Record<string, unknown>>): AgentToolResult | Promise<AgentToolResult>
  /** Undefined gives the default text. */
  reject?(
    reason: string,
    extra?: Readonly<Record<string, unknown>>,
  ): AgentToolResult | undefined | Promise<AgentToolResult | undefined>
  readonly details?: unknown
  /** Default `"custom_tool"`. */
  readonly sourceToolName?: string
}

/** What factories are given: one object for all tools of a loader. */
export interface CustomToolAPI {
  readonly cwd: string
  readonly exec: Exec
  readonly ui: UIContext
  readonly hasUI: boolean
  readonly logger: Logger
  readonly typebox: typeof typebox
  /** What the published package exports; the names that tools use. */
  readonly pi: Readonly<Record<string, unknown>>
  /** The zod that is installed beside the module that asks, else where the agent works; else stepline's, of version 4. */
  readonly zod: unknown
  /** Stages a preview for the calling agent; throws where there is no such agent. */
  pushPendingAction(action: CustomToolPendingAction): void
}

/** What `execute` of a tool of oh-my-pi is told of its session. */
export interface CustomToolContext {
  readonly sessionManager: SessionManager
  readonly modelRegistry: unknown
  readonly model: unknown
  readonly cwd: string
  readonly sessionId: string
  isIdle(): boolean
  hasQueuedMessages(): boolean
  /** Cancels the agent's foreground calls and tells the host. */
  abort(): void
}

/** How a renderer of a result is to draw. */
export interface RenderResultOptions {
  readonly expanded: boolean
  readonly isPartial: boolean
  readonly spinnerFrame?: number
}

/** Any schema; of what it describes nothing is known, and everything may be read. */
export type LooseSchema = TSchema & Pick<TAny, "static">

/** Without a type of their own, its parameters are taken for whatever its functions read of them. */
export interface CustomTool<TParams extends TSchema = LooseSchema, TDetails = unknown> {
  name: string
  /** Default: the name. */
  label?: string
  description: string
  parameters: TParams
  hidden?: boolean
  /** Whether it may stage previews. */
  deferrable?: boolean
  /** What a gate asks for: `read` needs no approval. Default `exec`. */
  approval?: unknown
  /** Lines that the approval shows. */
  formatApprovalDetails?(args: unknown): string | Array<string> | undefined
  execute(
    toolCallId: string,
    params: Static<TParams>,
    onUpdate: AgentToolUpdateCallback<TDetails> | undefined,
    ctx: CustomToolContext,
    signal?: AbortSignal,
  ): AgentToolResult<TDetails> | Promise<AgentToolResult<TDetails>>
  onSession?(event: SessionEvent, ctx: CustomToolContext): void | Promise<void>
  renderCall?(
    args: Static<TParams>,
    options: RenderResultOptions,
    theme: Theme,
  ): string | Component | undefined
  renderResult?(
    result: AgentToolResult<TDetails>,
    options: RenderResultOptions,
    theme: Theme,
    args?: Static<TParams>,
  ): string | Component | undefined
}

/** A tool whose parameters' type nobody knows: what factories return and loaders give. */
// biome-ignore lint/suspicious/noExplicitAny: execute takes parameters of the author's own type, which no other type accepts.
export type AnyCustomTool = CustomTool<any, any>

/** The default export of a module. */
export type CustomToolFactory = (
  pi: CustomToolAPI,
) => AnyCustomTool | Array<AnyCustomTool> | Promise<AnyCustomTool | Array<AnyCustomTool>>
