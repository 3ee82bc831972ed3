import { describe, expect, it } from "vitest"
import { type AwaitingApprovalEvent, pipeline, Step, type ToolExecutor } from "../../src/index.ts"
import { executorOf } from "../support/executor-of.ts"

const gated = (params: Record<string, unknown>) =>
  pipeline()
    .awaitApproval()
    .andThen(() => Step.Output(`ran ${params.n ?? 1}`))
const twice = pipeline()
  .awaitApproval({ label: "first" })
  .awaitApproval({ label: "second" })
  .andThen(() => Step.Output("ran"))
const asking = pipeline().andThen(() => Step.Delegate({ _tag: "Ask" }))

/** Until so many gates asked. */
const gatesOf = async (executor: ToolExecutor, count: number): Promise<Array<AwaitingApprovalEvent>> => {
  const gates: Array<AwaitingApprovalEvent> = []
  while (gates.length < count) {
    const event = await executor.next()
    if (event?._tag === "AwaitingApproval") gates.push(event)
  }
  return gates
}

const endsOf = async (executor: ToolExecutor): Promise<Record<string, unknown>> => {
  const ends: Record<string, unknown> = {}
  for (let event = await executor.next(); event !== undefined; event = await executor.next()) {
    if (event._tag === "Completed" || event._tag === "Denied")
      ends[event.callId] = [event.content, event.decidedBy]
  }
  return ends
}

const call = (callId: string, name = "gated") => ({ callId, name, agentId: callId })

describe("a list of answers", () => {
  it("decides each gate once, in one go, and tells of each answer whether it took effect", async () => {
    const executor = executorOf({ gated })
    executor.enqueue([...["a", "b", "c", "d"].map((id) => call(id)), { ...call("r"), decision: "requested" }])
    await gatesOf(executor, 4)
    const ids = executor.answer(
      [
        { callId: "c", deny: "Not this one" },
        { callId: "a", approve: true },
        { callId: "b", approve: { params: { n: 2 } } },
        { callId: "d", deny: true },
        { callId: "a", deny: true },
        { callId: "nope", approve: true },
        { callId: "r", approve: true },
      ],
      { by: "ann" },
    )
    expect(ids).toEqual([
      { callId: "c", took: true },
      { callId: "a", took: true },
      { callId: "b", took: true },
      { callId: "d", took: true },
      { callId: "a", took: false, why: 'The list has an answer to "a" already, which alone counts.' },
      { callId: "nope", took: false, why: 'There is no call "nope", or it has ended.' },
      { callId: "r", took: true },
    ])
    const ann = { kind: "user", id: "ann" }
    expect(await endsOf(executor)).toEqual({
      a: ["ran 1", ann],
      b: ["ran 2", ann],
      c: ["Not this one", { ...ann, reason: "Not this one" }],
      d: ["Denied by user", ann],
      r: ["ran 1", ann],
    })
    expect(executor.answer([{ callId: "a", approve: true }])).toMatchObject([{ took: false }])
    expect(executor.answer([])).toEqual([])
  })

  it("takes an answer only to the question that was shown", async () => {
    const executor = executorOf({ twice })
    executor.enqueue([call("a", "twice")])
    const [first] = await gatesOf(executor, 1)
    expect(executor.answer([{ callId: "a", question: { seq: first!.seq }, approve: true }])).toEqual([
      { callId: "a", took: true },
    ])
    const [second] = await gatesOf(executor, 1)
    expect(executor.answer([{ callId: "a", question: first!, deny: true }])).toEqual([
      {
        callId: "a",
        took: false,
        why: '"a" does not ask this question any more: look at what it asks now.',
      },
    ])
    expect(executor.answer([{ callId: "a", question: second!, approve: true }])).toMatchObject([
      { took: true },
    ])
    expect(await endsOf(executor)).toMatchObject({ a: ["ran", {}] })
  })

  it("approves with a reason, and remembers", async () => {
    const reasoned = () =>
      pipeline()
        .awaitApproval()
        .andThen(({ resolution }) => Step.Output(`${resolution?.reason}`))
    const executor = executorOf({ reasoned })
    executor.enqueue([call("a", "reasoned")])
    await gatesOf(executor, 1)
    const approve = { reason: "Fine", remember: "tool" } as const
    expect(executor.answer([{ callId: "a", approve }], { by: "ann" })).toEqual([{ callId: "a", took: true }])
    expect(await endsOf(executor)).toEqual({ a: ["Fine", { kind: "user", id: "ann", reason: "Fine" }] })
    expect(await executor.decide(call("b", "reasoned"))).toMatchObject({ verdict: "run" })
  })

  it("is taken inside the listener that is told of the question", async () => {
    const executor = executorOf({ twice })
    const took: Array<unknown> = []
    const result = await executor.run({ callId: "a", name: "twice" }, (event) => {
      if (event._tag === "AwaitingApproval")
        took.push(executor.answer([{ callId: "a", question: event, approve: true }])[0]!.took)
    })
    expect(took).toEqual([true, true])
    expect(result.content).toBe("ran")
  })

  it("says of a call that it waits for no approval", async () => {
    const executor = executorOf({ asking })
    let outcomes: unknown
    await executor.run({ callId: "a", name: "asking" }, (event) => {
      if (event._tag !== "Delegate") return
      outcomes = executor.answer([{ callId: "a", approve: true }])
      event.succeed("done")
    })
    expect(outcomes).toEqual([{ callId: "a", took: false, why: '"a" waits for no approval.' }])
  })

  it.each([
    ["no list", { callId: "a", approve: true }],
    ["an id alone", ["a"]],
    ["no id", [{ approve: true }]],
    ["no answer", [{ callId: "a" }]],
    ["both answers", [{ callId: "a", approve: true, deny: true }]],
    ["a false", [{ callId: "a", approve: false }]],
    ["an empty approval", [{ callId: "a", approve: {} }]],
    ["another name in an approval", [{ callId: "a", approve: { params: {}, by: "ann" } }]],
    ["bare parameters", [{ callId: "a", approve: { command: "ls" } }]],
    ["a reason that is none", [{ callId: "a", deny: 5 }]],
    ["another name", [{ callId: "a", approve: true, by: "ann" }]],
    ["an item of an inbox", [{ callId: "a", approve: true, question: { seq: 1, kind: "approval" } }]],
  ])("is refused with %s, before anything is decided", async (_, wrong) => {
    const executor = executorOf({ gated })
    executor.enqueue([call("b")])
    const [gate] = await gatesOf(executor, 1)
    const list = Array.isArray(wrong) ? [{ callId: "b", approve: true }, ...wrong] : wrong
    expect(() => executor.answer(list as never)).toThrow(TypeError)
    expect(() => executor.answer([{ callId: "b", approve: true }], { by: "" })).toThrow(TypeError)
    expect(gate!.approve()).toBe(true)
  })
})

it("knows the question that a later watcher was told of", async () => {
  const executor = executorOf({ twice })
  executor.enqueue([call("a", "twice")])
  const [first] = await gatesOf(executor, 1)
  const told: Array<AwaitingApprovalEvent> = []
  executor.watch({ event: (event) => event._tag === "AwaitingApproval" && told.push(event) })
  expect(told.map(({ seq }) => seq)).toEqual([first!.seq])
  expect(executor.answer([{ callId: "a", question: told[0]!, approve: true }])).toMatchObject([
    { took: true },
  ])
  await gatesOf(executor, 1)
  expect(executor.answer([{ callId: "a", question: told[0]!, deny: true }])).toMatchObject([{ took: false }])
})
