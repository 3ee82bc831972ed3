import { describe, expect, it } from "vitest"
import {
  toExtensionEvents,
  toSessionEvent,
} from "../../../src/custom-tools/extensions/session-translation.ts"
import type { SessionEvent } from "../../../src/custom-tools/index.ts"

const previousSessionFile = "/sessions/old.jsonl"

describe("toExtensionEvents", () => {
  it.each<[SessionEvent, ReadonlyArray<object>]>([
    [{ reason: "start" }, [{ type: "session_start", reason: "startup" }]],
    [
      { reason: "switch", previousSessionFile },
      [
        { type: "session_switch", reason: "resume", previousSessionFile },
        { type: "session_start", reason: "resume", previousSessionFile },
      ],
    ],
    [
      { reason: "branch", previousSessionFile },
      [
        { type: "session_branch", previousSessionFile },
        { type: "session_fork", previousSessionFile },
        { type: "session_start", reason: "fork", previousSessionFile },
      ],
    ],
    [{ reason: "tree" }, [{ type: "session_tree" }]],
    [{ reason: "shutdown" }, [{ type: "session_shutdown", reason: "quit" }]],
    [
      { reason: "auto_compaction_start", trigger: "overflow", action: "handoff" },
      [{ type: "auto_compaction_start", reason: "overflow", action: "handoff" }],
    ],
    [
      { reason: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 50, errorMessage: "overloaded" },
      [{ type: "auto_retry_start", attempt: 1, maxAttempts: 3, delayMs: 50, errorMessage: "overloaded" }],
    ],
    [
      { reason: "todo_reminder", todos: ["a"], attempt: 1, maxAttempts: 2 },
      [{ type: "todo_reminder", todos: ["a"], attempt: 1, maxAttempts: 2 }],
    ],
  ])("tells %j in pi's words, older names first", (event, expected) => {
    expect(toExtensionEvents(event)).toEqual(expected)
  })
})

describe("toSessionEvent", () => {
  it.each<[SessionEvent]>([
    [{ reason: "start" }],
    [{ reason: "switch", previousSessionFile }],
    [{ reason: "branch", previousSessionFile }],
    [{ reason: "tree" }],
    [{ reason: "shutdown" }],
    [{ reason: "auto_compaction_start", trigger: "idle", action: "context-full" }],
    [
      {
        reason: "auto_compaction_end",
        action: "handoff",
        result: { summary: "s" },
        aborted: false,
        willRetry: true,
      },
    ],
    [{ reason: "auto_retry_end", success: false, attempt: 3, finalError: "gone" }],
    [{ reason: "ttsr_triggered", rules: [] }],
  ])("reads %j back from each of its names", (event) => {
    for (const told of toExtensionEvents(event)) expect(toSessionEvent(told)).toEqual(event)
  })

  it("takes a new session for a switch and a reload for a start", () => {
    expect(toSessionEvent({ type: "session_start", reason: "new" })).toEqual({ reason: "switch" })
    expect(toSessionEvent({ type: "session_start", reason: "reload" })).toEqual({ reason: "start" })
  })

  it("does not take a session that makes place for another one for the end", () => {
    expect(toSessionEvent({ type: "session_shutdown", reason: "resume" })).toBeUndefined()
    expect(toSessionEvent({ type: "session_shutdown" })).toEqual({ reason: "shutdown" })
  })

  it("has no reason for events of turns and tools", () => {
    expect(toSessionEvent({ type: "turn_end", turnIndex: 1 })).toBeUndefined()
    expect(toSessionEvent({ type: "tool_call", toolName: "x" })).toBeUndefined()
  })
})
