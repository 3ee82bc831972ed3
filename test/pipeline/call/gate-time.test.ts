import { describe, expect, it, onTestFinished } from "vitest"
import {
  type ApprovalOptions,
  type Decision,
  pipeline,
  type ReviewQuestion,
  Step,
} from "../../../src/index.ts"
import { ScriptedHost } from "../../../src/testing.ts"
import { is } from "../../support/event-of.ts"
import { virtualTime } from "../../support/virtual-time.ts"

const waiting = async (gate: ApprovalOptions, onEscalate?: (question: ReviewQuestion) => unknown) => {
  const decisions: Array<Decision> = []
  const plan = pipeline()
    .andThen(() => Step.Output("preview"))
    .awaitApproval(gate)
    .andThen(() => Step.Output("ran"))
  const onDecision = (decision: Decision) => void decisions.push(decision)
  const time = await virtualTime({ plan }, { onDecision, ...(onEscalate && { onEscalate }) })
  const host = new ScriptedHost(time.executor, { gate: "ignore" })
  time.executor.enqueue([{ callId: "c", name: "plan" }])
  const asked = await host.until(is("AwaitingApproval"))
  const done = host.run()
  const warnings = () =>
    host.events.filter(is("GateExpiring")).map(({ at, seq: _, ...rest }) => ({ ...rest, in: at - asked.at }))
  return { ...time, host, done, warnings, decisions, asked }
}

const minute = 60_000
const expiring = { _tag: "GateExpiring", agentId: "main", callId: "c" }

describe("a gate with a time of its own", () => {
  it("is warned of once, and denied as expired", async () => {
    const { executor, advance, host, done, warnings } = await waiting({
      timeout: "10 minutes",
      warn: "2 minutes",
    })
    await advance("479 seconds")
    expect(warnings()).toEqual([])
    const expiresAt = executor.inspectCall("c")?.expiresAt
    await advance("1 second")
    expect(warnings()).toEqual([{ ...expiring, in: 10 * minute }])
    expect(executor.inspectCall("c")?.expiresAt).toBe(expiresAt)
    await advance("119 seconds")
    expect(host.terminal("c")).toBeUndefined()
    await advance("1 second")
    await done
    expect(host.terminal("c")).toMatchObject({
      _tag: "Denied",
      by: "expired",
      content: "Denied: nobody decided within 10 minutes",
      decidedBy: { kind: "timeout" },
    })
    expect(warnings()).toHaveLength(1)
  })

  it("can be answered after its warning", async () => {
    const { advance, done, asked, host } = await waiting({ timeout: 1000, warn: 999 })
    await advance("1 millis")
    expect(host.events.some(is("GateExpiring"))).toBe(true)
    expect(asked.approve()).toBe(true)
    await done
    expect(host.terminal("c")).toMatchObject({ _tag: "Completed", content: "ran" })
  })

  it("is escalated once, waits as long again, and is denied then", async () => {
    const questions: Array<ReviewQuestion> = []
    const { advance, host, done, warnings, decisions } = await waiting(
      { timeout: "10 minutes", warn: "2 minutes", onTimeout: "escalate" },
      (question) => questions.push(question),
    )
    await advance("10 minutes")
    expect(questions).toMatchObject([
      { callId: "c", name: "plan", preview: { content: [{ text: "preview" }] } },
    ])
    expect(warnings()).toEqual([
      { ...expiring, in: 10 * minute },
      { ...expiring, escalated: true, in: 20 * minute },
    ])
    expect(decisions).toMatchObject([{ verdict: "escalate", by: { kind: "timeout" } }])
    await advance("599 seconds")
    expect(host.terminal("c")).toBeUndefined()
    await advance("1 second")
    await done
    expect(host.terminal("c")).toMatchObject({
      by: "expired",
      content: "Denied: nobody decided within 20 minutes",
    })
    expect(questions).toHaveLength(1)
  })

  it("goes on waiting where `onEscalate` fails, and a process warning says so", async () => {
    const warned = new Promise<Error>((resolve) => process.once("warning", resolve))
    onTestFinished(() => void process.removeAllListeners("warning"))
    const { advance, asked, done, host } = await waiting(
      { timeout: "1 minute", onTimeout: "escalate" },
      async () => {
        throw new Error("no pager")
      },
    )
    await advance("1 minute")
    expect((await warned).message).toBe('`onEscalate` failed for "c", which goes on waiting: no pager')
    expect(asked.approve()).toBe(true)
    await done
    expect(host.terminal("c")?._tag).toBe("Completed")
  })

  it.each<[ApprovalOptions, string]>([
    [{ timeout: "soon" as never }, "Expected `timeout` to be a duration"],
    [{ warn: -1 }, "Expected `warn` to be a duration"],
    [
      { timeout: 1000, warn: "1 second" },
      "Expected `warn` of `awaitApproval` to be shorter than its `timeout`",
    ],
    [
      { onTimeout: "wait" as never },
      "Expected `onTimeout` of `awaitApproval` to be `deny` or `escalate`, got `wait`",
    ],
  ])("is refused with %j", (options, message) => {
    expect(() => pipeline().awaitApproval(options)).toThrow(TypeError)
    expect(() => pipeline().awaitApproval(options)).toThrow(message)
  })
})
