import { describe, expect, it } from "vitest"
import { type CallFilter, pipeline, Step } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { turn } from "../support/deferred.ts"
import { is, stamp } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { virtualTime } from "../support/virtual-time.ts"
import { apply, labels, resolveCall, stage } from "./edit-tool.ts"

/** A preview, then a gate of the host's, then the change; each resolution that the change saw. */
const gatedEdit = () => {
  const log: Array<unknown> = []
  const plan = pipeline()
    .andThen(() => Step.Output("would change"))
    .awaitResolve({ label: "Change" })
    .awaitApproval({ label: "Write a.ts?" })
    .andThen(({ resolution }) => {
      log.push(resolution)
      return Step.Output("changed")
    })
    .finally(() => {
      log.push("close")
      return Step.Continue
    })
  return { plan, log }
}

describe("an approval in what is applied", () => {
  it("is the resolve call's, and shows the tool that staged it, its parameters and its preview", async () => {
    const executor = executorOf({ edit: gatedEdit().plan })
    const host = new ScriptedHost(executor)
    await stage(executor, "a.ts", "a")
    executor.enqueue([resolveCall(apply, { agentId: "a" })])
    const gate = await host.until(is("AwaitingApproval"))
    expect({ ...gate }).toEqual({
      _tag: "AwaitingApproval",
      ...stamp,
      agentId: "a",
      callId: "r",
      name: "edit",
      params: { path: "a.ts" },
      background: false,
      label: "Write a.ts?",
      preview: { content: [{ type: "text", text: "would change" }] },
      because: "There is no rule for the tool `edit`.",
      approve: expect.any(Function),
      deny: expect.any(Function),
    })
    expect(executor.inspect()).toMatchObject([{ callId: "r", state: "waiting", waitingFor: "approval" }])
  })

  it("goes on when it is approved, and tells the reason to what follows", async () => {
    const { plan, log } = gatedEdit()
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor, { gate: { reason: "go" } })
    await stage(executor)
    await host.run([resolveCall()])
    expect(host.tags("r")).toEqual(["Started", "AwaitingApproval", "Completed"])
    expect(log).toEqual([{ action: "apply", reason: "go" }, "close"])
  })

  it("leaves the action pending when it is denied", async () => {
    const { plan, log } = gatedEdit()
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor, { gate: { deny: "not on a Friday" } })
    const actionId = await stage(executor)
    await host.run([resolveCall()])
    expect(host.terminal("r")).toMatchObject({ _tag: "Denied", by: "user", content: "not on a Friday" })
    expect(host.tags()).not.toContain("ActionResolved")
    expect(executor.agent().pendingActions.peek()).toMatchObject({ actionId })
    expect(log).toEqual([])
  })

  it("refuses edited parameters, and stays open for an answer without", async () => {
    const { plan } = gatedEdit()
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    executor.enqueue([resolveCall()])
    const gate = await host.until(is("AwaitingApproval"))
    expect(gate.approve({ params: { path: "b.ts" } })).toBe(false)
    expect(executor.approve("r", { params: { path: "b.ts" } })).toBe(false)
    expect(gate.approve()).toBe(true)
    await host.run()
    expect(host.terminal("r")).toMatchObject({ _tag: "Completed", content: "changed" })
  })

  it("may be decided by id, and counts once", async () => {
    const executor = executorOf({ edit: gatedEdit().plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    executor.enqueue([resolveCall()])
    const gate = await host.until(is("AwaitingApproval"))
    expect(executor.approve("r")).toBe(true)
    expect(gate.deny()).toBe(false)
    await host.run()
    expect(host.terminal("r")).toMatchObject({ _tag: "Completed" })
  })

  it("is not passed by `decision: approve` on the call that staged it", async () => {
    const executor = executorOf({ edit: gatedEdit().plan })
    const host = new ScriptedHost(executor)
    await executor.run({ name: "edit", decision: "approve" })
    await host.run([resolveCall()])
    expect(host.tags("r")).toContain("AwaitingApproval")
  })

  it("is passed by `decision: approve` on the resolve call: its gates are that call's", async () => {
    const executor = executorOf({ edit: gatedEdit().plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    await host.run([resolveCall(apply, { decision: "approve" })])
    expect(host.tags("r")).toEqual(["Started", "Completed"])
  })

  it("is passed where a rule allows the call that staged it", async () => {
    const filters: CallFilter = {
      evaluate: (tool, params) =>
        tool.name === "edit" && (params as { path?: string }).path === "a.ts" ? "approve" : undefined,
    }
    const executor = executorOf({ edit: gatedEdit().plan }, { filters })
    const host = new ScriptedHost(executor)
    await stage(executor, "a.ts")
    await host.run([resolveCall(apply, { callId: "allowed" })])
    await stage(executor, "b.ts")
    await host.run([resolveCall(apply, { callId: "asked" })])
    expect(host.tags("allowed")).not.toContain("AwaitingApproval")
    expect(host.tags("asked")).toContain("AwaitingApproval")
  })

  it("that a rule decides leaves the reason and the extra data to what follows", async () => {
    const { plan, log } = gatedEdit()
    const executor = executorOf({ edit: plan }, { filters: { evaluate: () => "approve" } })
    await stage(executor)
    await executor.agent().resolve({ ...apply, extra: { n: 1 } })
    expect(log).toEqual([{ ...apply, extra: { n: 1 } }, "close"])
  })

  it("remembers a rule for the tool that staged it, where the host says so", async () => {
    const remembered: Array<unknown> = []
    const filters: CallFilter = {
      evaluate: () => undefined,
      remember: (tool, params) => remembered.push([tool.name, params]) > 0,
    }
    const executor = executorOf({ edit: gatedEdit().plan }, { filters })
    const host = new ScriptedHost(executor, { gate: { remember: true } })
    await stage(executor, "a.ts")
    await host.run([resolveCall()])
    expect(remembered).toEqual([["edit", { path: "a.ts" }]])
  })

  it("is denied where nobody is there to give it, and the action stays pending", async () => {
    const executor = executorOf({ edit: gatedEdit().plan })
    await stage(executor)
    expect(await executor.agent().resolve(apply)).toMatchObject({
      status: "denied",
      content: "Denied: this call needs an approval, and nobody is there to give it",
    })
    expect(labels(executor)).toEqual(["Change"])
  })

  it("may be given by the caller of executor.resolve", async () => {
    const executor = executorOf({ edit: gatedEdit().plan })
    await stage(executor)
    const result = await executor
      .agent()
      .resolve(apply, { onEvent: (event) => event._tag === "AwaitingApproval" && event.approve() })
    expect(result).toMatchObject({ status: "complete", content: "changed" })
  })

  it("that expires leaves the action pending", async () => {
    const { executor, advance } = await virtualTime(
      { edit: gatedEdit().plan },
      { approvalTimeout: "1 minute" },
    )
    const host = new ScriptedHost(executor)
    await stage(executor)
    executor.enqueue([resolveCall()])
    await host.until(is("AwaitingApproval"))
    await advance("1 minute")
    expect(await executor.next()).toMatchObject({ _tag: "Denied", by: "expired" })
    expect(labels(executor)).toEqual(["Change"])
  })

  it("waits through a soft cancel, and a hard one ends it with the action pending", async () => {
    const executor = executorOf({ edit: gatedEdit().plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    executor.enqueue([resolveCall()])
    const gate = await host.until(is("AwaitingApproval"))
    expect(executor.cancelForeground()).toBe(0)
    expect(executor.cancel()).toBe(1)
    expect(gate.approve()).toBe(false)
    await host.run()
    expect(host.terminal("r")).toMatchObject({ _tag: "Cancelled" })
    expect(labels(executor)).toEqual(["Change"])
  })

  it("holds the lane of an enqueued resolve, and no lane of executor.resolve", async () => {
    const executor = executorOf({ edit: gatedEdit().plan, quick: pipeline() })
    const host = new ScriptedHost(executor)
    await stage(executor)
    await stage(executor)
    executor.enqueue([resolveCall(), { callId: "queued", name: "quick" }])
    const gate = await host.until(is("AwaitingApproval"))
    await turn()
    expect(host.tags("queued")).toEqual([])
    const outside = executor
      .agent()
      .resolve(apply, { onEvent: (event) => event._tag === "AwaitingApproval" && event.approve() })
    expect(await outside).toMatchObject({ status: "complete" })
    gate.approve()
    await host.run()
    expect(host.terminal("queued")).toMatchObject({ _tag: "Completed" })
  })
})

describe("both gates in one pipeline", () => {
  it("are decided by the host, then by the model, then by the host again", async () => {
    const seen: Array<unknown> = []
    const look = () => (context: { resolution: unknown }) => {
      seen.push(context.resolution)
      return Step.Continue
    }
    const plan = pipeline()
      .awaitApproval({ label: "Look?" })
      .andThen(look())
      .awaitResolve({ label: "Change" })
      .andThen(look())
      .awaitApproval({ label: "Write?" })
      .andThen(look())
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor, { gate: ({ label }) => ({ reason: `yes to ${label}` }) })
    await host.run([{ callId: "c", name: "edit" }])
    await host.run([resolveCall()])
    expect(host.events.filter(is("AwaitingApproval")).map((gate) => `${gate.callId} ${gate.name}`)).toEqual([
      "c edit",
      "r edit",
    ])
    expect(seen).toEqual([
      { action: "apply", reason: "yes to Look?" },
      { action: "apply", reason: "looks right" },
      { action: "apply", reason: "yes to Write?" },
    ])
  })
})
