import { describe, expect, it } from "vitest"
import {
  pipeline,
  type Review,
  type Reviewer,
  type ReviewQuestion,
  Step,
  ToolFilters,
} from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { deferred, turn, until } from "../../support/deferred.ts"
import { executorOf, toolOf } from "../../support/executor-of.ts"
import { gatedTool } from "../../support/gated-tool.ts"
import { virtualTime } from "../../support/virtual-time.ts"

const gated = gatedTool().plan
const call = { callId: "c", name: "write", params: { text: "x" } }
const says =
  (verdict: Review["verdict"], reason?: string): Reviewer =>
  () => ({ verdict, ...(reason !== undefined && { reason }) })

const runWith = async (reviewers: ReadonlyArray<Reviewer>, input = {}) => {
  const host = new ScriptedHost(executorOf({ write: gated }, { reviewers }))
  await host.run([{ ...call, ...input }])
  const gate = host.events.find((event) => event._tag === "AwaitingApproval")
  return { end: host.terminal("c"), because: gate?._tag === "AwaitingApproval" ? gate.because : undefined }
}

describe("a reviewer", () => {
  it("approves: the host is not asked", async () => {
    const { end, because } = await runWith([says("approve", "harmless")])
    expect(because).toBeUndefined()
    expect(end).toMatchObject({ _tag: "Completed", decidedBy: { kind: "reviewer", reason: "harmless" } })
  })

  it("denies: nothing behind the gate runs, and the model is told why", async () => {
    const { end, because } = await runWith([says("deny", "not on a Friday")])
    expect(because).toBeUndefined()
    expect(end).toMatchObject({
      _tag: "Denied",
      by: "policy",
      content: "not on a Friday",
      decidedBy: { kind: "reviewer", reason: "not on a Friday" },
    })
    expect((await runWith([says("deny")])).end?.content).toBe("Denied by a reviewer")
  })

  it("asks: the host is, and sees the reason", async () => {
    expect(await runWith([says("ask", "It writes outside.")])).toMatchObject({
      because: "It writes outside.",
      end: { decidedBy: { kind: "user" } },
    })
    expect((await runWith([says("ask")])).because).toBe("There is no rule for the tool `write`.")
  })

  it.each<readonly [string, Reviewer, string]>([
    ["throws", () => Promise.reject(new Error("offline")), "A reviewer failed: offline"],
    ["gives no verdict", (() => "yes") as never, "A reviewer gave no verdict."],
    ["gives another verdict", says("allow" as never), "A reviewer gave no verdict."],
  ])("that %s asks", async (_, reviewer, because) => {
    expect((await runWith([reviewer])).because).toBe(because)
  })

  it("is asked in its order, until one decides", async () => {
    const asked: Array<string> = []
    const named =
      (name: string, verdict: Review["verdict"]): Reviewer =>
      ({ because }) => {
        asked.push(`${name}: ${because}`)
        return { verdict, reason: `${name} says ${verdict}` }
      }
    const { end } = await runWith([named("a", "ask"), named("b", "deny"), named("c", "approve")])
    expect(end?.content).toBe("b says deny")
    expect(asked).toEqual(["a: There is no rule for the tool `write`.", "b: a says ask"])
  })

  it("is told the call, the output so far, and why it is asked", async () => {
    const questions: Array<ReviewQuestion> = []
    const reviewer: Reviewer = (question) => {
      questions.push(question)
      return { verdict: "approve" }
    }
    await runWith([reviewer], { meta: { user: "u" }, background: true })
    expect(questions).toEqual([
      {
        agentId: "main",
        callId: "c",
        name: "write",
        params: { text: "x" },
        background: true,
        label: "Write a.ts",
        preview: { content: [{ type: "text", text: "before" }] },
        because: "There is no rule for the tool `write`.",
        meta: { user: "u" },
      },
    ])
  })

  it("is not asked of what a rule or the call itself decides", async () => {
    let asked = 0
    const reviewer: Reviewer = () => {
      asked += 1
      return { verdict: "deny" }
    }
    const filters = ToolFilters.compile({ write: { allow: ["^$"] } })
    const executor = executorOf({ write: gated }, { filters, reviewers: [reviewer] })
    expect(await executor.run({ name: "write" }, () => undefined)).toMatchObject({ status: "complete" })
    expect((await runWith([reviewer], { decision: "approve" })).end?._tag).toBe("Completed")
    expect(asked).toBe(0)
  })

  it("decides where nobody else is there", async () => {
    const executor = executorOf({ write: gated }, { reviewers: [says("approve")] })
    expect(await executor.run({ name: "write" })).toMatchObject({ status: "complete" })
    const asking = executorOf({ write: gated }, { reviewers: [says("ask")] })
    expect(await asking.run({ name: "write" })).toMatchObject({ status: "denied", by: "policy" })
  })

  it("that is no function is refused when the executor is made", () => {
    expect(() => executorOf({}, { reviewers: ["me" as never] })).toThrow(
      "Expected each of `reviewers` to be a function, got `me` (string)",
    )
  })
})

describe("while a reviewer thinks", () => {
  const thinking = () => {
    const answer = deferred<Review>()
    const signals: Array<AbortSignal> = []
    const reviewer: Reviewer = (_, { signal }) => {
      signals.push(signal)
      return answer.promise
    }
    return { answer, signals, reviewer }
  }

  it("the host's answers do not take effect", async () => {
    const { answer, signals, reviewer } = thinking()
    const executor = executorOf({ write: gated }, { reviewers: [reviewer] })
    const host = new ScriptedHost(executor)
    const running = host.run([call])
    await until(() => signals.length > 0)
    expect(executor.inspect()).toMatchObject([{ state: "waiting", waitingFor: "review" }])
    expect(executor.approve("c")).toBe(false)
    expect(executor.deny("c")).toBe(false)
    answer.resolve({ verdict: "approve" })
    await running
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed", decidedBy: { kind: "reviewer" } })
    expect(signals[0]?.aborted).toBe(false)
  })

  it("a cancel wins, and tells it by its signal", async () => {
    const { answer, signals, reviewer } = thinking()
    const executor = executorOf({ write: gated }, { reviewers: [reviewer] })
    const host = new ScriptedHost(executor)
    const running = host.run([call])
    await until(() => signals.length > 0)
    expect(executor.cancelCall("c")).toBe(true)
    await running
    expect(host.terminal("c")?._tag).toBe("Cancelled")
    expect(signals[0]?.aborted).toBe(true)
    answer.resolve({ verdict: "approve" })
    await turn()
    expect(host.tags("c")).toEqual(["Started", "Cancelled"])
  })

  it("a cancel keeps the next one from being asked", async () => {
    const [first, next] = [thinking(), thinking()]
    const executor = executorOf({ write: gated }, { reviewers: [first.reviewer, next.reviewer] })
    const running = new ScriptedHost(executor).run([call])
    await until(() => first.signals.length > 0)
    executor.cancelCall("c")
    await running
    first.answer.resolve({ verdict: "ask" })
    await turn()
    expect(next.signals).toEqual([])
  })

  it("`approvalTimeout` wins, and tells it by its signal", async () => {
    const { signals, reviewer } = thinking()
    const time = await virtualTime({ write: gated }, { reviewers: [reviewer], approvalTimeout: "1 minute" })
    const host = new ScriptedHost(time.executor)
    const running = host.run([call])
    await until(() => signals.length > 0)
    await time.advance("2 minutes")
    await running
    expect(host.terminal("c")).toMatchObject({ by: "expired", decidedBy: { kind: "timeout" } })
    expect(signals[0]?.aborted).toBe(true)
  })

  it("a background call gives its place up", async () => {
    const { answer, signals, reviewer } = thinking()
    const plan = pipeline()
      .andThen(() => Step.Output("looked"))
      .awaitApproval()
    const options = { reviewers: [reviewer], backgroundConcurrency: 1 }
    const executor = executorOf({ write: plan, tool: pipeline().andThen(() => Step.Output("ran")) }, options)
    const host = new ScriptedHost(executor)
    const running = host.run([{ ...call, background: true }])
    await until(() => signals.length > 0)
    executor.enqueue([{ callId: "other", name: "tool", background: true }])
    expect((await executor.tasks.wait("other"))?.status).toBe("complete")
    answer.resolve({ verdict: "approve" })
    await running
    expect(executor.tasks.get("c")?.status).toBe("complete")
  })

  it("a call can be written down: it is reviewed again where it is restored", async () => {
    const { signals, reviewer } = thinking()
    const first = executorOf({ write: gated }, { reviewers: [reviewer] })
    void new ScriptedHost(first).run([call])
    await until(() => signals.length > 0)
    const second = executorOf({ write: gated }, { reviewers: [says("approve")] })
    second.restore(first.snapshot("c"))
    const host = new ScriptedHost(second)
    await host.run()
    expect(host.events).toMatchObject([{ _tag: "Completed", decidedBy: { kind: "reviewer" } }])
  })
})

describe("a gate that only a person passes", () => {
  const person = toolOf("write", pipeline().awaitApproval({ person: true }), {
    parameters: { type: "object", properties: { text: { type: "string" } } },
    primaryParam: "text",
  })
  const options = {
    reviewers: [says("approve")],
    filters: ToolFilters.compile({ write: { allow: ["^x$"] } }),
  }

  it.each(["pending", "approve"] as const)("is asked of the host though the call is %s", async (decision) => {
    const host = new ScriptedHost(executorOf({ write: person }, options))
    await host.run([{ ...call, decision }])
    expect(host.tags("c")).toEqual(["Started", "AwaitingApproval", "Completed"])
    expect(host.events[1]).toMatchObject({ because: "Only a person passes this gate." })
    expect(host.terminal("c")?.decidedBy).toEqual({ kind: "user" })
  })

  it("is asked of a call that was requested, and once of one that was edited at it", async () => {
    const executor = executorOf({ write: person }, options)
    executor.enqueue([{ ...call, decision: "requested" }])
    await turn()
    executor.approve("c")
    const host = new ScriptedHost(executor, { gate: { params: { text: "y" } } })
    await host.run()
    expect(host.tags("c")).toEqual(["Started", "AwaitingApproval", "Completed"])
  })

  it("is asked when a handler asks for it", async () => {
    const plan = pipeline().andThen(() => Step.AwaitApproval({ person: true }))
    const host = new ScriptedHost(executorOf({ write: plan }, options))
    await host.run([{ ...call, decision: "approve" }])
    expect(host.tags("c")).toContain("AwaitingApproval")
  })

  it("denies where nobody is there", async () => {
    const executor = executorOf({ write: person }, options)
    expect(await executor.run({ ...call, decision: "approve" })).toMatchObject({ status: "denied" })
  })

  it("leaves no rule behind", async () => {
    const filters = ToolFilters.empty()
    const host = new ScriptedHost(executorOf({ write: person }, { filters }), {
      gate: ({ params }) => ({ remember: true, params }),
    })
    await host.run([call])
    expect(filters.remembered()).toEqual({})
  })

  it("holds back the word that a background call runs", async () => {
    const host = new ScriptedHost(executorOf({ write: person }, options))
    await host.run([{ ...call, decision: "approve", background: true }])
    expect(host.tags("c")).toEqual([
      "Started",
      "AwaitingApproval",
      "BackgroundStarted",
      "BackgroundCompleted",
    ])
  })

  it("is named in the plan", () => {
    expect(pipeline().awaitApproval({ person: true }).describe()).toEqual([
      { kind: "approval", name: "awaitApproval", person: true },
    ])
  })
})
