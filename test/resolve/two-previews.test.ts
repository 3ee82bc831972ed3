import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolEvent } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { turn } from "../support/deferred.ts"
import { is } from "../support/event-of.ts"
import { executorOf } from "../support/executor-of.ts"
import { apply, discard, labels, resolveCall, stage } from "./edit-tool.ts"

/** What is applied first is a preview of its own. */
const twoPreviews = () => {
  const log: Array<string> = []
  const note = (name: string) => () => {
    log.push(name)
    return Step.Output(name)
  }
  const plan = pipeline()
    .andThen(note("plan"))
    .awaitResolve({ label: "Follow the plan" })
    .andThen(note("diff"))
    .awaitResolve({ label: "Write the diff", sourceToolName: "writer" })
    .andThen(note("written"))
    .finally(note("close"))
  return { plan, log }
}

describe("two awaitResolve in one pipeline", () => {
  it("come both from the tool that was called, where they name no other", async () => {
    const preview = () => Step.Output("preview")
    const plan = pipeline()
      .andThen(preview)
      .awaitResolve({ label: "1" })
      .andThen(preview)
      .awaitResolve({ label: "2" })
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await host.run([{ name: "edit" }])
    await host.run([resolveCall()])
    expect(executor.agent().pendingActions.peek()).toMatchObject({ label: "2", sourceToolName: "edit" })
  })

  it("are resolved one after the other; the finally handlers run once, at the end of the second", async () => {
    const { plan, log } = twoPreviews()
    const executor = executorOf({ edit: plan })
    const host = new ScriptedHost(executor)
    await stage(executor)
    await host.run([resolveCall(apply, { callId: "1" })])
    expect(host.terminal("1")).toMatchObject({
      _tag: "Completed",
      content: expect.stringMatching(/^diff\nNothing is changed yet\. Pending: Write the diff\./),
      staged: { actionId: executor.agent().pendingActions.peek()!.actionId, label: "Write the diff" },
      output: { details: { ...apply, label: "Follow the plan", sourceToolName: "edit" } },
    })
    expect(log).toEqual(["plan", "diff"])
    await host.run([resolveCall(apply, { callId: "2" })])
    expect(host.terminal("2")).toMatchObject({ content: "written" })
    expect(log).toEqual(["plan", "diff", "written", "close"])
    expect(labels(executor)).toEqual([])
  })

  it("tell both ends and both beginnings", async () => {
    const executor = executorOf({ edit: twoPreviews().plan })
    const host = new ScriptedHost(executor)
    await host.run([{ name: "edit" }])
    await host.run([resolveCall()])
    await host.run([resolveCall(discard)])
    const told = host.events.flatMap((event) =>
      event._tag === "ActionPending" || event._tag === "ActionResolved"
        ? [`${event._tag} ${event.label} of ${event.sourceToolName}`]
        : [],
    )
    expect(told.toSorted()).toEqual([
      "ActionPending Follow the plan of edit",
      "ActionPending Write the diff of writer",
      "ActionResolved Follow the plan of edit",
      "ActionResolved Write the diff of writer",
    ])
  })

  it("the second is told with the call that staged the first", async () => {
    const host = new ScriptedHost(executorOf({ edit: twoPreviews().plan }))
    await host.run([{ callId: "s", name: "edit" }, resolveCall(apply, { callId: "r" })])
    const told = host.events.filter(is("ActionPending"))
    expect(told[0]).not.toHaveProperty("sourceCallId")
    expect(told[1]).toMatchObject({ label: "Write the diff", sourceCallId: "s" })
  })

  it("the second may be discarded, dropped, or fail and be tried again", async () => {
    for (const end of ["discard", "clear"] as const) {
      const { plan, log } = twoPreviews()
      const executor = executorOf({ edit: plan })
      await stage(executor)
      await executor.agent().resolve(apply)
      if (end === "discard") await executor.agent().resolve(discard)
      else executor.agent().pendingActions.clear()
      await turn()
      expect(log).toEqual(["plan", "diff", "close"])
    }
  })

  it("the second never comes where the first is discarded", async () => {
    const { plan, log } = twoPreviews()
    const executor = executorOf({ edit: plan })
    await stage(executor)
    await executor.agent().resolve(discard)
    expect(log).toEqual(["plan", "close"])
    expect(labels(executor)).toEqual([])
  })

  it("need one place among the pending actions at a time", async () => {
    const executor = executorOf({ edit: twoPreviews().plan }, { maxPendingActions: 1 })
    await stage(executor)
    expect(await executor.agent().resolve(apply)).toMatchObject({ status: "complete" })
    expect(labels(executor)).toEqual(["Write the diff"])
  })

  it("the second waits on top, and the reminder names its source", async () => {
    const executor = executorOf({ edit: twoPreviews().plan })
    executor.agent().pendingActions.push({ label: "Below", apply: () => "x" })
    await stage(executor)
    await executor.agent().resolve(apply)
    expect(labels(executor)).toEqual(["Below", "Write the diff"])
    expect(executor.agent().toolChoice()).toMatchObject({
      mode: "remind",
      reminder: { details: { toolName: "writer" } },
    })
  })

  it("leave the second pending where its call is cancelled as it is told", async () => {
    const { plan, log } = twoPreviews()
    const executor = executorOf({ edit: plan })
    await stage(executor)
    const cancel = (event: ToolEvent) => {
      if (event._tag === "ActionPending" || event._tag === "ActionResolved") executor.cancelCall("r")
    }
    await executor.run(resolveCall(), cancel)
    expect(labels(executor)).toEqual(["Write the diff"])
    expect(log).toEqual(["plan", "diff"])
    await executor.agent().resolve(apply)
    expect(log).toEqual(["plan", "diff", "written", "close"])
  })
})
