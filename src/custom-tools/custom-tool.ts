/** Tools of oh-my-pi: their types as authors import them. Source: the published package, 13.19 and 18.3. */
import type * as typebox from "@sinclair/typebox"
import type { Static, TAny, TSchema } from "@sinclair/typebox"
import type { ToolContent } from "../output/content.ts"
import type { Logger } from "./host.ts"
import type { Exec } from "./run-program.ts"
import type { SessionEvent } from "./session-events.ts"
import type { SessionManager } from "./session-manager.ts"
import type { Theme } from "./theme.ts"
import type { Component, UIContext } from "./ui-context.ts"

/** The result of `execute` of a tool of pi or oh-my-pi. */
export interface AgentToolResult<TDetails = unknown> {
  /** What the model sees. */
  readonly content: ReadonlyArray<ToolContent>
  /** What hosts and renderers see. */
  readonly details?: TDetails
  /** Reports a failure without throwing; later packages honour it. */
  readonly isError?: boolean
  /** Asks the host to end the model's turn after this result. */
  readonly terminate?: boolean
}

/** A partial result: `content` as in a result, or `output` with plain text. */
export interface AgentToolUpdate<TDetails = unknown> {
  readonly content?: ReadonlyArray<ToolContent>
  readonly output?: string
  readonly details?: TDetails
}

/** Streams a partial result; updates after the call's end are dropped. */
export type AgentToolUpdateCallback<TDetails = unknown> = (update: AgentToolUpdate<TDetails>) => void

/** A preview that a tool of oh-my-pi stages, with callbacks for applying and rejecting it. */
export interface CustomToolPendingAction {
  /** Short: it is shown with the result of `resolve`. */
  readonly label: string
  apply(reason: string, extra?: Readonly<Record<string, unknown>>): AgentToolResult | Promise<AgentToolResult>
  /** Return undefined for the default text. */
  reject?(
    reason: string,
    extra?: Readonly<Record<string, unknown>>,
  ): AgentToolResult | undefined | Promise<AgentToolResult | undefined>
  readonly details?: unknown
  /** Default `"custom_tool"`. */
  readonly sourceToolName?: string
}

/** The argument of factories: one object for all tools of a loader. */
export interface CustomToolAPI {
  readonly cwd: string
  readonly exec: Exec
  readonly ui: UIContext
  readonly hasUI: boolean
  readonly logger: Logger
  readonly typebox: typeof typebox
  /** The exports of the published package, as far as tools use them. */
  readonly pi: Readonly<Record<string, unknown>>
  /** The zod installed for the module that reads it, else in the agent's working directory, else stepline's (version 4). */
  readonly zod: unknown
  /** Stages a preview for the calling agent; throws if there is none. */
  pushPendingAction(action: CustomToolPendingAction): void
}

/** The session context for `execute` of a tool of oh-my-pi. */
export interface CustomToolContext {
  readonly sessionManager: SessionManager
  readonly modelRegistry: unknown
  readonly model: unknown
  readonly cwd: string
  readonly sessionId: string
  isIdle(): boolean
  hasQueuedMessages(): boolean
  /** Cancels the agent's foreground calls and notifies the host. */
  abort(): void
}

/** Options for a renderer of a result. */
export interface RenderResultOptions {
  readonly expanded: boolean
  readonly isPartial: boolean
  readonly spinnerFrame?: number
}

/** Any schema; its value has an unknown type, of which every property can be read. */
export type LooseSchema = TSchema & Pick<TAny, "static">

/** A tool of oh-my-pi. Without a type argument, its functions can read any property of its parameters. */
export interface CustomTool<TParams extends TSchema = LooseSchema, TDetails = unknown> {
  name: string
  /** Default: the name. */
  label?: string
  description: string
  parameters: TParams
  hidden?: boolean
  /** Whether it can stage previews. */
  deferrable?: boolean
  /** The tool's approval tier: `read` needs no approval. Default `exec`. */
  approval?: unknown
  /** Lines shown at the gate. */
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

/** A tool with an unknown parameter type, as factories and loaders return it. */
// biome-ignore lint/suspicious/noExplicitAny: execute takes parameters of the author's own type, which no other type accepts.
export type AnyCustomTool = CustomTool<any, any>

/** The default export of a module. */
export type CustomToolFactory = (
  pi: CustomToolAPI,
) => AnyCustomTool | Array<AnyCustomTool> | Promise<AnyCustomTool | Array<AnyCustomTool>>
