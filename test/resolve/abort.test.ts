import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import type { ToolEvent } from "../../src/index.ts"
import { deferred, turn } from "../support/deferred.ts"
import { executorOf } from "../support/executor-of.ts"
import { abortable, apply, editTool, labels, stage } from "./edit-tool.ts"

describe("executor.resolve with a signal", () => {
  it("rejects with an AbortError where it is aborted before, and claims nothing", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    const actionId = await stage(executor)
    const resolving = executor.agent().resolve(apply, { signal: AbortSignal.abort() })
    await expect(resolving).rejects.toMatchObject({ name: "AbortError" })
    expect(executor.agent().pendingActions.peek()).toMatchObject({ actionId })
    expect(log).toEqual(["preview a.ts"])
  })

  it("rejects with an AbortError where it is aborted before its turn of the event loop", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    await stage(executor)
    const controller = new AbortController()
    const resolving = executor.agent().resolve(apply, { signal: controller.signal })
    controller.abort()
    await expect(resolving).rejects.toMatchObject({ name: "AbortError" })
    expect(labels(executor)).toEqual(["Change a.ts"])
    expect(log).toEqual(["preview a.ts"])
  })

  it.each(["apply", "discard"] as const)(
    "rejects with an AbortError where it is aborted during %s, and the action stays pending",
    async (action) => {
      const { handler, reasons } = abortable()
      const { plan, log } = editTool({ apply: handler, onDiscard: handler })
      const executor = executorOf({ edit: plan })
      const actionId = await stage(executor)
      const events: Array<ToolEvent> = []
      const controller = new AbortController()
      const resolving = executor
        .agent()
        .resolve(
          { action, reason: "so" },
          { signal: controller.signal, onEvent: (event) => events.push(event) },
        )
      await turn()
      expect(executor.agent().pendingActions.hasPending).toBe(false)
      controller.abort()
      await expect(resolving).rejects.toMatchObject({ name: "AbortError" })
      expect(executor.agent().pendingActions.list()).toEqual([
        { actionId, label: "Change a.ts", sourceToolName: "edit" },
      ])
      expect(executor.agent().toolChoice()).toMatchObject({ mode: "remind" })
      expect(reasons).toEqual([expect.objectContaining({ name: "AbortError" })])
      expect(events.map((event) => event._tag)).toEqual(["Started", "Cancelled"])
      expect(log).not.toContain("close a.ts")
    },
  )

  it("rejects with the signal's own AbortError", async () => {
    const executor = executorOf({ edit: editTool({ apply: abortable().handler }).plan })
    await stage(executor)
    const controller = new AbortController()
    const resolving = executor.agent().resolve(apply, { signal: controller.signal })
    await turn()
    const reason = new DOMException("The user left", "AbortError")
    controller.abort(reason)
    await expect(resolving).rejects.toBe(reason)
  })

  it("waits for the finalizers of an Effect before the action is pending again", async () => {
    const released = deferred()
    const log: Array<string> = []
    const { plan } = editTool({
      apply: () =>
        Effect.onInterrupt(Effect.never, () =>
          Effect.promise(() => released.promise.then(() => void log.push("rolled back"))),
        ),
    })
    const executor = executorOf({ edit: plan })
    await stage(executor)
    const controller = new AbortController()
    const resolving = executor.agent().resolve(apply, { signal: controller.signal })
    await turn()
    controller.abort()
    await turn()
    expect(executor.agent().pendingActions.hasPending).toBe(false)
    released.resolve()
    await expect(resolving).rejects.toMatchObject({ name: "AbortError" })
    expect(log).toEqual(["rolled back"])
    expect(executor.agent().pendingActions.hasPending).toBe(true)
  })
})
