/** The session events for tools that keep state. Source: the published oh-my-pi types. */

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
