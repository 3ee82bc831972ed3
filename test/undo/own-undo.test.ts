import { describe, expect, it } from "vitest"
import { handler, pipeline, Step, type ToolEvent } from "../../src/index.ts"
import { deferred } from "../support/deferred.ts"
import { executorOf } from "../support/executor-of.ts"

interface Ticket {
  readonly id: number
}

const ticketing = (
  fails: { message?: string } = {},
  more: Record<string, ReturnType<typeof pipeline>> = {},
) => {
  const tickets = new Set<number>()
  const CreateTicket = handler(
    "CreateTicket",
    ({ receipt }) => {
      const id = tickets.size + 1
      tickets.add(id)
      receipt({ id } satisfies Ticket)
      return Step.Output(`ticket ${id}`)
    },
    {
      undo: ({ id }: Ticket, { call }) => {
        if (fails.message !== undefined && id === 1) throw new Error(fails.message)
        expect(call.name).toBe("undo")
        tickets.delete(id)
      },
    },
  )
  const executor = executorOf({ ticket: pipeline().andThen(CreateTicket), ...more })
  return { executor, tickets }
}

const approving = {
  onEvent: (event: ToolEvent) => void (event._tag === "AwaitingApproval" && event.approve()),
}

describe("the undo of a handler's own", () => {
  it("is given the receipt, behind a gate of the host", async () => {
    const { executor, tickets } = ticketing()
    await executor.run({ callId: "a", name: "ticket" })
    await executor.run({ callId: "b", name: "ticket" })
    expect(executor.changes()).toMatchObject([
      { callId: "a", paths: [], handlers: ["CreateTicket"] },
      { callId: "b", paths: [], handlers: ["CreateTicket"] },
    ])
    const agent = executor.agent()
    const preview = await agent.undo({ last: 1 })
    expect(preview.content).toContain(
      "[undo] 0 changes, not made yet, to take back ticket b:\nTaken back by the handlers that did it: CreateTicket\n",
    )
    expect(await agent.resolve({ action: "apply", reason: "" })).toMatchObject({ status: "denied" })
    expect([...tickets]).toEqual([1, 2])
    const applied = await agent.resolve({ action: "apply", reason: "" }, approving)
    expect(applied.content).toContain("Taken back: CreateTicket")
    expect([...tickets]).toEqual([1])
    const { content } = await agent.undo({ callId: executor.changes().at(-1)!.callId })
    expect(content).toContain("What the undo of CreateTicket may have changed is not known.")
  })

  it("that fails leaves what it did, and can be tried again", async () => {
    const fails: { message?: string } = { message: "No network." }
    const { executor, tickets } = ticketing(fails)
    await executor.run({ callId: "a", name: "ticket" })
    await executor.run({ callId: "b", name: "ticket" })
    const agent = executor.agent()
    await agent.undo({ last: 2 })
    expect(await agent.resolve({ action: "apply", reason: "" }, approving)).toMatchObject({
      status: "error",
      content: expect.stringContaining(
        "CreateTicket could not be taken back: No network. Not taken back: CreateTicket. All else is: apply it again to try these once more.",
      ),
    })
    expect([...tickets]).toEqual([1])
    delete fails.message
    expect(await agent.resolve({ action: "apply", reason: "" }, approving)).toMatchObject({
      status: "complete",
    })
    expect([...tickets]).toEqual([])
  })

  it("of nested calls is that of the outer one too", async () => {
    const { executor, tickets } = ticketing(
      {},
      {
        twice: pipeline().andThen(async ({ call }) => {
          for (let i = 0; i < 2; i++) await call("ticket", {})
          return Step.Continue
        }),
      },
    )
    await executor.run({ callId: "outer", name: "twice" })
    expect([...tickets]).toEqual([1, 2])
    const agent = executor.agent()
    await agent.undo({ callId: "outer" })
    await agent.resolve({ action: "apply", reason: "" }, approving)
    expect([...tickets]).toEqual([])
  })

  it("has nothing to do without a receipt, and there is none without an undo", async () => {
    const executor = executorOf({
      none: pipeline().andThen(handler("None", () => Step.Continue, { undo: () => undefined })),
      without: pipeline().andThen(
        handler("Without", ({ receipt }) => {
          receipt(1)
          return Step.Continue
        }),
      ),
    })
    await executor.run({ name: "none" })
    await executor.run({ name: "without" })
    expect(executor.changes()).toEqual([])
  })

  it("runs once where two previews of one call are applied at once", async () => {
    const begun = [deferred(), deferred()]
    const goesOn = deferred()
    const undone: Array<number> = []
    const slow = handler(
      "Slow",
      ({ receipt }) => {
        receipt(0)
        receipt(1)
        return Step.Continue
      },
      {
        undo: (which: 0 | 1) => {
          undone.push(which)
          begun[which]!.resolve()
          return goesOn.promise
        },
      },
    )
    const executor = executorOf({ slow: pipeline().andThen(slow) })
    await executor.run({ callId: "a", name: "slow" })
    const agent = executor.agent()
    await agent.undo({ callId: "a" })
    await agent.undo({ callId: "a" })
    const first = agent.resolve({ action: "apply", reason: "" }, approving)
    await begun[1]!.promise
    const second = agent.resolve({ action: "apply", reason: "" }, approving)
    await begun[0]!.promise
    goesOn.resolve()
    for (const { content } of await Promise.all([first, second]))
      expect(content).toContain("0 changes made.\nTaken back: Slow\nTaken back before: Slow")
    expect(undone).toEqual([1, 0])
    expect((await agent.undo({ callId: "a" })).content).toMatch(
      /^Nothing is left of call "a": call ".*" has taken it back\.$/,
    )
  })

  it.each([
    ["is undefined, and no JSON", undefined],
    ["is no plain JSON: `receipt.at` is a Date", { at: new Date(0) }],
    [
      "has 20000002 characters of JSON, and 100000 are kept. Give what its undo needs to find the rest, such as an id",
      "x".repeat(20_000_000),
    ],
  ])("is refused a receipt that %s", async (why, given) => {
    const odd = handler(
      "Odd",
      ({ receipt }) => {
        receipt(given)
        return Step.Continue
      },
      { undo: () => undefined },
    )
    const executor = executorOf({ odd: pipeline().andThen(odd) })
    const content = `Odd did its work, and cannot take it back: its receipt ${why}`
    expect(await executor.run({ callId: "a", name: "odd" })).toMatchObject({ status: "error", content })
    expect(executor.changes()).toMatchObject([{ callId: "a", unknown: ["Odd, whose receipt was refused,"] }])
  })

  it("counts the receipts of a call together", async () => {
    const many = handler(
      "Many",
      ({ receipt }) => {
        for (let i = 0; i < 3; i++) receipt("x".repeat(39_998))
        return Step.Continue
      },
      { undo: () => undefined },
    )
    const executor = executorOf({ many: pipeline().andThen(many) })
    expect((await executor.run({ callId: "a", name: "many" })).content).toContain(
      "its receipt and the call's others have 120000 characters of JSON, and 100000 are kept.",
    )
    expect(executor.changes()).toMatchObject([{ handlers: ["Many", "Many"] }])
  })

  it("goes with the snapshot of its call", async () => {
    const asking = pipeline()
      .andThen(
        handler(
          "Early",
          ({ receipt }) => {
            receipt("early")
            return Step.Continue
          },
          { undo: () => undefined },
        ),
      )
      .awaitApproval()
    const [first, second] = [executorOf({ asking }), executorOf({ asking })]
    first.enqueue([{ callId: "a", name: "asking" }])
    for (let event = await first.next(); event?._tag !== "AwaitingApproval"; ) event = await first.next()
    second.restore(first.snapshot("a"))
    expect(second.changes()).toMatchObject([{ callId: "a", handlers: ["Early"] }])
  })

  it("is a function", () => {
    expect(() => handler("X", () => Step.Continue, { undo: 1 as never })).toThrow(
      "Expected `undo` of handler `X` to be a function, got `1` (number)",
    )
  })
})
