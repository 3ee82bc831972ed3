import { describe, expect, it } from "vitest"
import {
  type ApprovalOptions,
  type AwaitingApprovalEvent,
  type Decision,
  HostEffectQueue,
  pipeline,
  Step,
  type ToolEvent,
  type ToolExecutor,
  type ToolExecutorOptions,
  type ToolResult,
} from "../../src/index.ts"
import { executorOf } from "../support/executor-of.ts"

const managers = new Set(["ann", "bob"])
const isManager = (by: string) => managers.has(by)

/** Runs a call of a gate with these options, and answers it as it asks. */
const answered = async (
  gate: ApprovalOptions,
  answer: (executor: ToolExecutor, event: AwaitingApprovalEvent) => void,
  options?: ToolExecutorOptions,
): Promise<ToolResult> => {
  const gated = pipeline()
    .andThen(() => Step.Output("preview"))
    .awaitApproval(gate)
    .andThen(() => Step.Output("ran"))
  const executor = executorOf({ gated }, options)
  return executor.run({ callId: "c", name: "gated", params: { n: 1 } }, (event) => {
    if (event._tag === "AwaitingApproval") answer(executor, event)
  })
}

describe("a gate that only some may answer", () => {
  it("stays open for others and for nobody, and says so", async () => {
    const took: Array<unknown> = []
    const why: Array<unknown> = []
    const result = await answered({ approvers: isManager }, (executor, event) => {
      expect(event).toMatchObject({ person: true, named: true })
      took.push(
        event.approve(),
        event.approve({ by: "eve", params: { n: 2 } }),
        executor.approve("c", { by: "eve" }),
        executor.deny("c", "no", { by: "eve" }),
        event.deny("no"),
      )
      for (const by of ["eve", undefined])
        why.push(executor.answer([{ callId: "c", approve: true }], { by })[0]!)
      took.push(executor.approve("c", { by: "ann" }))
    })
    expect(took).toEqual([false, false, false, false, false, true])
    expect(why).toEqual([
      { callId: "c", took: false, why: 'eve may not answer "c".' },
      { callId: "c", took: false, why: 'Only some people may answer "c": say with `by` who answers.' },
    ])
    expect(result).toMatchObject({ content: "ran", decidedBy: { kind: "user", id: "ann" } })
  })

  it("is denied by one of them, and asks who may with the question that was shown", async () => {
    const asked: Array<unknown> = []
    const approvers: ApprovalOptions["approvers"] = (by, question) => {
      asked.push([by, question])
      return true
    }
    const result = await answered(
      { approvers, label: "Go?" },
      (_, event) => void event.deny("No", { by: "ann" }),
    )
    expect(result).toMatchObject({ status: "denied", by: "user", decidedBy: { kind: "user", id: "ann" } })
    const preview = expect.objectContaining({ content: [{ type: "text", text: "preview" }] })
    expect(asked).toEqual([
      ["ann", expect.objectContaining({ callId: "c", params: { n: 1 }, label: "Go?", preview })],
    ])
  })

  it("lets nobody answer while `approvers` fails, and tells how", async () => {
    const why: Array<unknown> = []
    let approvers: () => unknown = () => {
      throw new Error("no directory")
    }
    const gate = { approvers: () => approvers() as boolean }
    const result = await answered(gate, (executor) => {
      const answer = () => executor.answer([{ callId: "c", approve: true }], { by: "ann" })[0]!
      why.push(answer().why)
      approvers = async () => true
      why.push(answer().why)
      approvers = () => "yes"
      why.push(answer().why)
      approvers = () => true
      answer()
    })
    expect(why).toEqual([
      'ann may not answer "c": its `approvers` failed: no directory',
      'ann may not answer "c": its `approvers` failed: it gave a promise, and has to answer at once',
      'ann may not answer "c".',
    ])
    expect(result.content).toBe("ran")
  })

  it("is passed by no rule and no pre-approval, and denied where its listener throws or nobody listens", async () => {
    const filters = { evaluate: () => "approve" as const }
    const asked = await answered({ approvers: isManager }, (_, event) => void event.approve({ by: "bob" }), {
      filters,
    })
    expect(asked.decidedBy).toEqual({ kind: "user", id: "bob" })
    const thrown = await answered({ approvers: isManager }, () => {
      throw new Error("the screen is gone")
    })
    expect(thrown).toMatchObject({ status: "denied", content: "the screen is gone" })
    const gated = pipeline().awaitApproval({ approvers: isManager })
    expect(await executorOf({ gated }).run({ name: "gated", decision: "approve" })).toMatchObject({
      status: "denied",
    })
  })
})

describe("a gate that several have to approve", () => {
  it("counts each person once, tells each vote, and says who approved", async () => {
    const decisions: Array<Decision> = []
    const took: Array<unknown> = []
    const result = await answered(
      { quorum: 2, approvers: isManager },
      (executor, event) => {
        expect(event.quorum).toBe(2)
        took.push(event.approve({ by: "ann" }), event.approve({ by: "ann" }))
        took.push(executor.answer([{ callId: "c", approve: true }], { by: "ann" })[0])
        took.push(executor.approve("c", { by: "bob", params: { n: 2 } }))
        took.push(executor.approve("c", { by: "eve" }), executor.approve("c", { by: "bob" }))
      },
      { onDecision: (decision) => void decisions.push(decision) },
    )
    const why = 'ann has approved "c" already. It has 1 of 2 approvals.'
    expect(took).toEqual([true, false, { callId: "c", took: false, why }, false, false, true])
    const by = { kind: "user", id: "bob", approvedBy: ["ann", "bob"] }
    expect(result).toMatchObject({ content: "ran", decidedBy: by })
    expect(decisions).toMatchObject([
      { verdict: "vote", by: { kind: "user", id: "ann" } },
      { verdict: "approve", by },
      { verdict: "run", by },
    ])
  })

  it("tells by `answer` how many approvals it has, and is denied by one", async () => {
    const outcomes: Array<unknown> = []
    const result = await answered({ quorum: 3 }, (executor) => {
      outcomes.push(executor.answer([{ callId: "c", approve: true }]))
      outcomes.push(executor.answer([{ callId: "c", approve: true }], { by: "ann" }))
      outcomes.push(executor.answer([{ callId: "c", deny: "No" }], { by: "eve" }))
    })
    expect(outcomes).toEqual([
      [{ callId: "c", took: false, why: '"c" needs 3 people to approve it: say with `by` who approves.' }],
      [{ callId: "c", took: true, why: "It has 1 of 3 approvals." }],
      [{ callId: "c", took: true }],
    ])
    expect(result).toMatchObject({ status: "denied", content: "No", decidedBy: { id: "eve" } })
  })

  it("stays on show in a queue for one screen until it is over", async () => {
    const queue = new HostEffectQueue()
    const result = await answered({ quorum: 2 }, (_, event: ToolEvent) => {
      queue.push(event)
      const shown = queue.take() as AwaitingApprovalEvent
      expect(shown.approve()).toBe(false)
      expect(shown.approve({ by: "ann" })).toBe(true)
      expect(queue.approval).toBe(shown)
      expect(shown.approve({ by: "bob" })).toBe(true)
    })
    expect(result.content).toBe("ran")
  })

  it.each<[ApprovalOptions, string]>([
    [{ quorum: 0 }, "Expected `quorum` of `awaitApproval` to be a positive integer, got `0` (number)"],
    [{ quorum: 1.5 }, "Expected `quorum` of `awaitApproval` to be a positive integer, got `1.5` (number)"],
    [
      { quorum: "2" as never },
      "Expected `quorum` of `awaitApproval` to be a positive integer, got `2` (string)",
    ],
    [
      { approvers: ["ann"] as never },
      "Expected `approvers` of `awaitApproval` to be a function, got `ann` (object)",
    ],
    [{ approver: isManager } as never, "`awaitApproval` has no option `approver`. Did you mean `approvers`?"],
  ])("is refused with %j", (options, message) => {
    expect(() => pipeline().awaitApproval(options)).toThrow(TypeError)
    expect(() => pipeline().awaitApproval(options)).toThrow(message)
  })

  it("is of a pipeline, not of a step", () => {
    expect(() => Step.AwaitApproval({ quorum: 2 } as never)).toThrow(
      new TypeError("`Step.AwaitApproval` has no option `quorum`: use `awaitApproval` of a pipeline"),
    )
  })
})
