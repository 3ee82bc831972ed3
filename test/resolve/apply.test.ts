import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import {
  type HandlerContext,
  type HandlerFunction,
  pipeline,
  Step,
  type ToolCall,
  ToolError,
} from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { stamp } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { apply, discard, editTool, labels, resolveCall, stage } from "./edit-tool.ts"

describe("resolve with `apply`", () => {
  it("runs what follows the gate under its own call, and tells that the action is applied", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    const actionId = await stage(executor, "a.ts", "a")
    const events = await host.run([resolveCall({ action: "apply", reason: "fine" }, { agentId: "a" })])
    expect(events).toEqual([
      {
        _tag: "Started",
        ...stamp,
        agentId: "a",
        callId: "r",
        name: "resolve",
        params: { action: "apply", reason: "fine" },
        background: false,
      },
      {
        _tag: "ActionResolved",
        ...stamp,
        agentId: "a",
        actionId,
        label: "Change a.ts",
        sourceToolName: "edit",
        outcome: "applied",
      },
      {
        _tag: "Completed",
        ...stamp,
        agentId: "a",
        callId: "r",
        name: "resolve",
        content: "changed a.ts",
        output: {
          content: [{ type: "text", text: "changed a.ts" }],
          details: { action: "apply", reason: "fine", sourceToolName: "edit", label: "Change a.ts" },
        },
      },
    ])
    expect(log).toEqual(["preview a.ts", "apply a.ts", "close a.ts"])
  })

  it("shows its handlers the reason, the extra data, the preview and the call that staged it", async () => {
    const seen: Array<Pick<HandlerContext, "output" | "resolution"> & { call: ToolCall }> = []
    const { plan } = editTool({
      apply: ({ call, output, resolution }) => {
        seen.push({ call: { ...call }, output, resolution })
        return Step.Continue
      },
    })
    const executor = executorOf({ edit: plan })
    await stage(executor, "b.ts")
    const extra = { title: "Rename" }
    await executor.run(resolveCall({ action: "apply", reason: "fine", extra }))
    expect(seen).toEqual([
      {
        call: {
          agentId: "main",
          callId: "r",
          name: "edit",
          params: { path: "b.ts" },
          decision: "pending",
          background: false,
        },
        output: { content: [{ type: "text", text: "would change b.ts" }] },
        resolution: { action: "apply", reason: "fine", extra },
      },
    ])
  })

  it("says what was applied where the handlers have nothing to say", async () => {
    const { plan } = editTool({ apply: () => Step.Continue })
    const executor = executorOf({ edit: plan })
    await stage(executor)
    expect(await executor.agent().resolve(apply)).toMatchObject({
      content: "Applied: Change a.ts. Reason: looks right",
    })
  })

  it("says what was applied where nothing follows the gate", async () => {
    const executor = executorOf({ edit: pipeline().awaitResolve({ label: "Note it" }) })
    await stage(executor)
    expect(await executor.agent().resolve(apply)).toMatchObject({
      status: "complete",
      content: "Applied: Note it. Reason: looks right",
    })
    expect(labels(executor)).toEqual([])
  })

  it("gives images, and the request to end the turn, as the handlers do", async () => {
    const image = { type: "image", data: "AAAA", mimeType: "image/png" } as const
    const { plan } = editTool({ apply: () => Step.Output({ content: [image], terminate: true }) })
    const executor = executorOf({ edit: plan })
    await stage(executor)
    expect(await executor.agent().resolve(apply)).toMatchObject({
      output: { content: [image] },
      terminate: true,
    })
  })

  it("tells the caller of executor.resolve its events, and nobody else", async () => {
    const executor = executorOf({ edit: editTool().plan })
    await stage(executor)
    const told: Array<string> = []
    await executor.agent().resolve(apply, { onEvent: (event) => told.push(event._tag) })
    expect(told).toEqual(["Started", "ActionResolved", "Completed"])
    expect(await executor.next()).toBeUndefined()
  })

  it("tells the queue what was pending and what became of it, also of the rest that is staged anew, where the caller listens to nothing", async () => {
    const executor = executorOf({
      edit: pipeline().awaitResolve({ label: "one" }).awaitResolve({ label: "two" }),
    })
    const host = new ScriptedHost(executor)
    await host.run([{ name: "edit" }])
    await executor.agent().resolve(apply)
    await executor.agent().resolve(apply)
    await host.run()
    expect(
      host.events.flatMap((event) =>
        event._tag === "ActionPending" || event._tag === "ActionResolved"
          ? [`${event._tag} ${event.label}`]
          : [],
      ),
    ).toEqual(["ActionPending one", "ActionPending two", "ActionResolved one", "ActionResolved two"])
  })

  it("tells the queue what became of the action where the caller listens to nothing", async () => {
    const executor = executorOf({ edit: editTool().plan })
    await stage(executor)
    await executor.agent().resolve(apply)
    expect(await new ScriptedHost(executor).run()).toMatchObject([
      { _tag: "ActionResolved", outcome: "applied" },
    ])
  })

  it("does not run the preview again", async () => {
    const { plan, log } = editTool()
    const executor = executorOf({ edit: plan })
    await stage(executor)
    await executor.agent().resolve(apply)
    expect(log.filter((entry) => entry.startsWith("preview"))).toHaveLength(1)
  })

  it("runs handlers of every shape", async () => {
    const plan = pipeline()
      .awaitResolve({ label: "Change" })
      .andThen(() => Effect.succeed(Step.Delta("effect ")))
      .andThen(async () => Step.Delta("promise "))
      .andThen(async function* () {
        yield Step.Delta("generator")
        yield Step.Output("done")
      })
    const executor = executorOf({ edit: plan })
    await stage(executor)
    const deltas: Array<string> = []
    const onEvent = (event: { _tag: string; content?: string }) => {
      if (event._tag === "Delta") deltas.push(event.content!)
    }
    expect(await executor.agent().resolve(apply, { onEvent })).toMatchObject({ content: "done" })
    expect(deltas.join("")).toBe("effect promise generator")
  })
})

const failures: Array<[string, HandlerFunction, string]> = [
  ["an Error step passes as it is", () => Step.Error("no room"), "no room"],
  [
    "a ToolError passes as it is",
    () => {
      throw new ToolError("file changed")
    },
    "file changed",
  ],
  ["a rejected ToolError passes as it is", () => Promise.reject(new ToolError("stale")), "stale"],
  [
    "an Effect that fails with a ToolError passes as it is",
    () => Effect.fail(new ToolError("stale")),
    "stale",
  ],
  [
    "a throw is worded",
    () => {
      throw new Error("disk full")
    },
    "Apply failed: disk full",
  ],
  ["a rejection is worded", () => Promise.reject(new Error("disk full")), "Apply failed: disk full"],
  ["a thrown string is worded", () => Promise.reject("disk full"), "Apply failed: disk full"],
  ["a failed Effect is worded", () => Effect.fail("disk full"), "Apply failed: disk full"],
  ["a died Effect is worded", () => Effect.die(new Error("disk full")), "Apply failed: disk full"],
  [
    "a generator's Error step passes as it is",
    async function* () {
      yield Step.Delta("half")
      yield Step.Error("no room")
    },
    "no room",
  ],
  [
    "a handler that gives no step is worded",
    () => 1 as never,
    "Apply failed: Handler `anonymous` gave number, not a Step; end it with one, such as Step.Continue",
  ],
]

describe("an apply that fails", () => {
  it.each(failures)("%s, and the action is pending again", async (_, failing, content) => {
    const { plan, log } = editTool({ apply: failing })
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    const actionId = await stage(executor)
    await host.run([resolveCall()])
    expect(host.terminal("r")).toMatchObject({ _tag: "Error", reason: "failed", content })
    expect(host.tags()).not.toContain("ActionResolved")
    expect(executor.agent().pendingActions.list()).toEqual([
      { actionId, label: "Change a.ts", sourceToolName: "edit" },
    ])
    expect(log).toEqual(["preview a.ts", "apply a.ts"])
  })

  it("gives its cause to the host", async () => {
    const cause = new Error("disk full")
    const executor = executorOf({ edit: editTool({ apply: () => Promise.reject(cause) }).plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    await host.run([resolveCall()])
    expect(host.terminal("r")).toMatchObject({ cause })
  })

  it("asks the host to remind the model again, in both modes", async () => {
    for (const resolveChoice of ["soft", "forced"] as const) {
      const executor = executorOf(
        { edit: editTool({ apply: () => Step.Error("no room") }).plan },
        { resolveChoice },
      )
      await stage(executor)
      const before = executor.agent().toolChoice()
      executor.enqueue([{ name: "nothing" }])
      await executor.agent().resolve(apply)
      expect(executor.agent().toolChoice()).toEqual(before)
      expect(before).toMatchObject({ mode: resolveChoice === "soft" ? "remind" : "force" })
    }
  })

  it("may be tried again, from the gate on, until it succeeds", async () => {
    let tries = 0
    const { plan, log } = editTool({
      apply: ({ output }) => {
        tries += 1
        return tries < 3
          ? Step.Error(`try ${tries}`)
          : Step.Output(`after ${JSON.stringify(output?.content)}`)
      },
    })
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    for (const callId of ["1", "2", "3"]) await host.run([resolveCall(apply, { callId })])
    expect(host.terminal("1")).toMatchObject({ content: "try 1" })
    expect(host.terminal("2")).toMatchObject({ content: "try 2" })
    expect(host.terminal("3")).toMatchObject({
      content: 'after [{"type":"text","text":"would change a.ts"}]',
    })
    expect(log).toEqual(["preview a.ts", "apply a.ts", "apply a.ts", "apply a.ts", "close a.ts"])
  })

  it("starts over at the first handler behind the gate", async () => {
    const log: Array<string> = []
    const note = (name: string, step: Step) => () => {
      log.push(name)
      return step
    }
    let fails = true
    const plan = pipeline()
      .awaitResolve({ label: "Change" })
      .andThen(note("first", Step.Output("half")))
      .andThen(() => {
        log.push("second")
        return fails ? Step.Error("no room") : Step.Continue
      })
    const executor = executorOf({ edit: plan })
    await stage(executor)
    await executor.agent().resolve(apply)
    fails = false
    expect(await executor.agent().resolve(apply)).toMatchObject({ content: "half" })
    expect(log).toEqual(["first", "second", "first", "second"])
  })

  it("may be discarded instead", async () => {
    const executor = executorOf({ edit: editTool({ apply: () => Step.Error("no room") }).plan })
    await stage(executor)
    await executor.agent().resolve(apply)
    expect(await executor.agent().resolve(discard)).toMatchObject({ status: "complete" })
    expect(labels(executor)).toEqual([])
  })
})
