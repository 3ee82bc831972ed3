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

type SessionStartEvent = {
  readonly type: "session_start"
  readonly reason: "startup" | "reload" | "new" | "resume" | "fork"
  /** Absent for `startup` and `reload`. */
  readonly previousSessionFile?: string
}

/** `session_start` with `resume`, in oh-my-pi and in older versions of pi. */
type SessionSwitchEvent = {
  readonly type: "session_switch"
  readonly reason: "new" | "resume" | "fork"
  readonly previousSessionFile?: string
}

/** `session_start` with `fork`, likewise; pi called it `session_fork` for a while. */
type SessionBranchEvent = { readonly type: "session_branch"; readonly previousSessionFile?: string }

type SessionTreeEvent = {
  readonly type: "session_tree"
  readonly newLeafId?: string | null
  readonly oldLeafId?: string | null
}

type SessionShutdownEvent = {
  readonly type: "session_shutdown"
  readonly reason: "quit" | "reload" | "new" | "resume" | "fork"
}

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

type ToolExecutionEvent<Type extends string> = {
  readonly type: Type
  readonly toolCallId: string
  readonly toolName: string
  readonly args?: unknown
  readonly [field: string]: unknown
}

/** Events by `type`. Answers of listeners are ignored, except for `tool_call` and `tool_result`. */
export interface ExtensionEvents {
  readonly session_start: SessionStartEvent
  readonly session_switch: SessionSwitchEvent
  readonly session_branch: SessionBranchEvent
  readonly session_tree: SessionTreeEvent
  readonly session_shutdown: SessionShutdownEvent
  readonly tool_call: ToolCallEvent
  readonly tool_result: ToolResultEvent
  readonly tool_execution_start: ToolExecutionEvent<"tool_execution_start">
  readonly tool_execution_update: ToolExecutionEvent<"tool_execution_update">
  readonly tool_execution_end: ToolExecutionEvent<"tool_execution_end">
  readonly turn_start: { readonly type: "turn_start"; readonly turnIndex: number; readonly timestamp: number }
  readonly turn_end: {
    readonly type: "turn_end"
    readonly turnIndex: number
    readonly message: unknown
    readonly toolResults: ReadonlyArray<unknown>
  }
  readonly message_end: { readonly type: "message_end"; readonly message: unknown }
  readonly agent_start: { readonly type: "agent_start" }
  readonly agent_end: { readonly type: "agent_end"; readonly messages: ReadonlyArray<unknown> }
}
