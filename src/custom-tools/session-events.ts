/** The events that tools listen for, and the answers to `tool_call` and `tool_result`. Source: both published packages. */
import type { ToolContent } from "../output/content.ts"

/** A session event of oh-my-pi, for `onSession` of its tools. */
export type SessionEvent =
  | {
      readonly reason: "start" | "switch" | "branch" | "tree" | "shutdown"
      /** Undefined for `start` and `shutdown`. */
      readonly previousSessionFile?: string | undefined
    }
  | {
      readonly reason: "auto_compaction_start"
      readonly trigger: "threshold" | "overflow" | "idle"
      readonly action: "context-full" | "handoff"
    }
  | {
      readonly reason: "auto_compaction_end"
      readonly action: "context-full" | "handoff"
      readonly result: unknown
      readonly aborted: boolean
      readonly willRetry: boolean
      readonly errorMessage?: string
    }
  | {
      readonly reason: "auto_retry_start"
      readonly attempt: number
      readonly maxAttempts: number
      readonly delayMs: number
      readonly errorMessage: string
    }
  | {
      readonly reason: "auto_retry_end"
      readonly success: boolean
      readonly attempt: number
      readonly finalError?: string
    }
  | { readonly reason: "ttsr_triggered"; readonly rules: ReadonlyArray<unknown> }
  | {
      readonly reason: "todo_reminder"
      readonly todos: ReadonlyArray<unknown>
      readonly attempt: number
      readonly maxAttempts: number
    }

/** An event of pi, such as `session_start` or `turn_end`, with its own fields. */
export interface ExtensionEvent {
  readonly type: string
  readonly [field: string]: unknown
}

// Type aliases, not interfaces: only they fit the open `ExtensionEvent`.

/** Emitted to `tool_call` listeners before a tool is called. */
export type ToolCallEvent = {
  readonly type: "tool_call"
  readonly toolCallId: string
  readonly toolName: string
  /** The listener's own copy: its changes are validated again, and become the tool's arguments. */
  input: Record<string, unknown>
}

/** The answer of a `tool_call` listener. */
export type ToolCallAnswer = {
  /** Whether to block the call. */
  readonly block?: boolean
  /** The reason for the model. */
  readonly reason?: string
  /** Replaces the arguments. */
  readonly input?: Record<string, unknown>
}

/** Emitted to `tool_result` listeners once a tool has ended. */
export type ToolResultEvent = {
  readonly type: "tool_result"
  readonly toolCallId: string
  readonly toolName: string
  readonly input: Record<string, unknown>
  readonly content: ReadonlyArray<ToolContent>
  readonly details: unknown
  readonly isError: boolean
}

/** The answer of a `tool_result` listener. Absent properties leave the result unchanged. */
export type ToolResultAnswer = {
  readonly content?: ReadonlyArray<ToolContent>
  readonly details?: unknown
  readonly isError?: boolean
}

type ToolExecution = {
  readonly toolCallId: string
  readonly toolName: string
  readonly args?: unknown
  readonly [field: string]: unknown
}

type Named<Events> = { readonly [Type in keyof Events]: { readonly type: Type } & Events[Type] }

/** Events by `type`. Answers of listeners are ignored, except for `tool_call` and `tool_result`. */
export type ExtensionEvents = Named<{
  session_start: {
    readonly reason: "startup" | "reload" | "new" | "resume" | "fork"
    /** Absent for `startup` and `reload`. */
    readonly previousSessionFile?: string
  }
  /** `session_start` with `resume`, in oh-my-pi and in older versions of pi. */
  session_switch: { readonly reason: "new" | "resume" | "fork"; readonly previousSessionFile?: string }
  /** `session_start` with `fork`, likewise; pi called it `session_fork` for a while. */
  session_branch: { readonly previousSessionFile?: string }
  session_tree: { readonly newLeafId?: string | null; readonly oldLeafId?: string | null }
  session_shutdown: { readonly reason: "quit" | "reload" | "new" | "resume" | "fork" }
  tool_call: ToolCallEvent
  tool_result: ToolResultEvent
  tool_execution_start: ToolExecution
  tool_execution_update: ToolExecution
  tool_execution_end: ToolExecution
  turn_start: { readonly turnIndex: number; readonly timestamp: number }
  turn_end: {
    readonly turnIndex: number
    readonly message: unknown
    readonly toolResults: ReadonlyArray<unknown>
  }
  message_end: { readonly message: unknown }
  agent_start: object
  agent_end: { readonly messages: ReadonlyArray<unknown> }
}>
