import { describe, expect, it } from "vitest"
import { cancelBackgroundTaskTool } from "../../../src/impls/index.ts"
import { type CallFilter, pipeline, Step, ToolFilters } from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, never, turn } from "../../support/deferred.ts"
import { executorOf, toolOf } from "../../support/executor-of.ts"
import { gatedTool } from "../../support/gated-tool.ts"
import { type VirtualTime, virtualTime } from "../../support/virtual-time.ts"

const text = (name: string, plan = gatedTool().plan) =>
  toolOf(name, plan, {
    parameters: { type: "object", properties: { text: { type: "string" } } },
    primaryParam: "text",
  })

const rules = ToolFilters.compile(
  { write: { allow: ["^ok"], deny: ["^never"] } },
  { source: "the host's rules" },
)

const end = async (host: ScriptedHost, call: Record<string, unknown> = {}) => {
  await host.run([{ callId: "c", name: "write", params: { text: "x" }, ...call }])
  return host.terminal("c")
}

describe("who decided is told", () => {
  it("of a gate that the host approved", async () => {
    const executor = executorOf({ write: gatedTool().plan })
    const told = await end(new ScriptedHost(executor, { gate: { reason: "fine" } }))
    expect(told).toMatchObject({ _tag: "Completed", decidedBy: { kind: "user", reason: "fine" } })
    expect((await end(new ScriptedHost(executor)))?.decidedBy).toEqual({ kind: "user" })
  })

  it("of a gate that a rule passed, with the rule and its source", async () => {
    const executor = executorOf({ write: text("write") }, { filters: rules })
    expect((await end(new ScriptedHost(executor), { params: { text: "ok" } }))?.decidedBy).toEqual({
      kind: "rule",
      rule: "^ok",
      source: "the host's rules",
      command: "ok",
      reason: "The allow rule `^ok` matches `ok`.",
    })
  })

  it("of a gate that the call's own decision passed", async () => {
    const executor = executorOf({ write: gatedTool().plan })
    expect((await end(new ScriptedHost(executor), { decision: "approve" }))?.decidedBy).toEqual({
      kind: "call",
    })
  })

  it("of a requested call", async () => {
    const executor = executorOf({ write: gatedTool().plan })
    executor.enqueue([{ callId: "c", name: "write", decision: "requested" }])
    await turn()
    executor.approve("c", { reason: "go" })
    const host = new ScriptedHost(executor)
    await host.run()
    expect(host.terminal("c")?.decidedBy).toEqual({ kind: "user", reason: "go" })
  })

  it("not of a call without a gate", async () => {
    expect(await end(new ScriptedHost(executorOf({ write: pipeline() })))).not.toHaveProperty("decidedBy")
  })

  it("of a call that failed behind its gate", async () => {
    const plan = pipeline()
      .awaitApproval()
      .andThen(() => Step.Error("no"))
    expect(await end(new ScriptedHost(executorOf({ write: plan })))).toMatchObject({
      _tag: "Error",
      decidedBy: { kind: "user" },
    })
  })

  it.each([
    ["the host", {}, { gate: { deny: "not now" } } as const, { kind: "user", reason: "not now" }],
    ["its own decision", { decision: "deny" } as const, {}, { kind: "call" }],
    [
      "a deny rule",
      { params: { text: "never" } },
      {},
      {
        kind: "rule",
        rule: "^never",
        source: "the host's rules",
        command: "never",
        reason: "The deny rule `^never` matches `never`.",
      },
    ],
  ])("of a denial by %s", async (_, call, script, decidedBy) => {
    const executor = executorOf({ write: text("write") }, { filters: rules })
    expect(await end(new ScriptedHost(executor, script), call)).toMatchObject({ _tag: "Denied", decidedBy })
  })

  it("of a denial by a hook", async () => {
    const hooks = { beforeCall: () => ({ block: true, reason: "closed" }) }
    const executor = executorOf({ write: gatedTool().plan }, { hooks })
    expect(await end(new ScriptedHost(executor))).toMatchObject({
      by: "policy",
      decidedBy: { kind: "hook", reason: "closed" },
    })
  })

  it("of a denial by a filter that fails", async () => {
    const filters: CallFilter = {
      evaluate: () => {
        throw new Error("broken")
      },
    }
    const executor = executorOf({ write: gatedTool().plan }, { filters })
    expect(await end(new ScriptedHost(executor))).toMatchObject({
      decidedBy: { kind: "rule", reason: "broken" },
    })
  })

  it("of a denial by a consumer that throws", async () => {
    const executor = executorOf({ write: gatedTool().plan })
    const result = await executor.run({ name: "write" }, (event) => {
      if (event._tag === "AwaitingApproval") throw new Error("no screen")
    })
    expect(result).toMatchObject({ by: "user", decidedBy: { kind: "user", reason: "no screen" } })
  })

  it("of a denial where nobody is there to be asked", async () => {
    const result = await executorOf({ write: gatedTool().plan }).run({ name: "write" })
    expect(result).toMatchObject({ status: "denied", by: "policy", decidedBy: { kind: "call" } })
  })

  it("of a cancel by the host, and by the call's own signal", async () => {
    const executor = executorOf({ write: gatedTool().plan })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "c", name: "write" }])
    await host.until((event) => event._tag === "AwaitingApproval")
    executor.cancelCall("c", "enough")
    await host.run()
    expect(host.terminal("c")).toMatchObject({ by: "user", decidedBy: { kind: "user", reason: "enough" } })

    const controller = new AbortController()
    const told: Array<unknown> = []
    const running = executor.run(
      { name: "write" },
      (event) => {
        if (event._tag === "AwaitingApproval") controller.abort()
        if (event._tag === "Cancelled") told.push(event.decidedBy)
      },
      { signal: controller.signal },
    )
    await expect(running).rejects.toThrow()
    expect(told).toEqual([{ kind: "call" }])
  })

  const held = () => pipeline().andThen(() => never())

  it("of a cancel by the model", async () => {
    const executor = executorOf({ held: held(), [cancelBackgroundTaskTool.name]: cancelBackgroundTaskTool })
    await executor.run({ callId: "task", name: "held", background: true })
    await executor.run({ name: "cancel_background_task", params: { task_id: "task" } })
    const task = await executor.tasks.wait("task")
    expect(task).toMatchObject({ status: "cancelled", by: "model", decidedBy: { kind: "model" } })
  })

  it("of a cancel by another tool", async () => {
    const executor = executorOf({
      held: held(),
      abort: pipeline().andThen(({ agent }) => {
        agent.cancel("enough")
        return Step.Continue
      }),
    })
    const started = deferred<unknown>()
    const running = executor.run({ name: "held" }, (event) => started.resolve(event))
    await started.promise
    await executor.run({ name: "abort", lane: "other" })
    expect(await running).toMatchObject({ by: "tool", decidedBy: { kind: "tool", reason: "enough" } })
  })

  it("of a cancel by the shutdown, also of what comes after it", async () => {
    const executor = executorOf({ held: held() })
    const started = deferred<unknown>()
    const running = executor.run({ name: "held" }, (event) => started.resolve(event))
    await started.promise
    await executor.shutdown()
    const reason = "Cancelled: the executor was shut down"
    const end = { status: "cancelled", by: "shutdown", decidedBy: { kind: "shutdown", reason } }
    expect(await running).toMatchObject(end)
    expect(await executor.run({ name: "held" })).toMatchObject(end)
  })

  it("of a background task, while it runs and when it has ended", async () => {
    const plan = pipeline()
      .awaitApproval()
      .andThen(() => Step.Delegate({ _tag: "Ask" }))
    const executor = executorOf({ write: plan })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "c", name: "write", background: true }])
    const asked = await host.until((event) => event._tag === "Delegate")
    expect(executor.tasks.get("c")?.decidedBy).toEqual({ kind: "user" })
    expect(executor.inspect()).toMatchObject([{ decidedBy: { kind: "user" } }])
    if (asked._tag === "Delegate") asked.succeed("done")
    await host.run()
    expect(executor.tasks.list()).toMatchObject([{ decidedBy: { kind: "user" } }])
    expect(host.events.at(-1)).toMatchObject({ _tag: "BackgroundCompleted", decidedBy: { kind: "user" } })
  })

  it("of an approval that nobody gave in time", async () => {
    const time: VirtualTime = await virtualTime({ write: gatedTool().plan }, { approvalTimeout: "1 minute" })
    const host = new ScriptedHost(time.executor, { gate: "ignore" })
    const told = end(host)
    await turn()
    await time.advance("2 minutes")
    expect(await told).toMatchObject({ by: "expired", decidedBy: { kind: "timeout" } })
  })
})

describe("a gate says why it asks", () => {
  const becauseOf = async (params: unknown, filters: CallFilter | undefined) => {
    const executor = executorOf({ write: text("write") }, { filters })
    const host = new ScriptedHost(executor)
    executor.enqueue([{ callId: "c", name: "write", params }])
    const gate = await host.until((event) => event._tag === "AwaitingApproval")
    const [inspected] = executor.inspect()
    if (gate._tag !== "AwaitingApproval") return undefined
    expect(inspected?.because).toBe(gate.because)
    gate.deny()
    return gate.because
  }

  it("where there is no rule for the tool", async () => {
    const noRule = "There is no rule for the tool `write`."
    expect(await becauseOf({ text: "x" }, undefined)).toBe(noRule)
    expect(await becauseOf({ text: "x" }, ToolFilters.empty())).toBe(noRule)
  })

  it("where no rule matches, and where a parameter cannot be read", async () => {
    expect(await becauseOf({ text: "x" }, rules)).toBe("No allow rule matches `x`.")
    expect(await becauseOf({}, rules)).toBe("`text` is no text.")
  })

  it("where a filter does not explain itself", async () => {
    expect(await becauseOf({}, { evaluate: () => undefined })).toBe("No rule approves this call.")
  })
})
