import { describe, expect, it } from "vitest"
import { handler, pipeline, Step, type ToolEvent } from "../../src/index.ts"
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

  it("is a function", () => {
    expect(() => handler("X", () => Step.Continue, { undo: 1 as never })).toThrow(
      "Expected `undo` of handler `X` to be a function, got `1` (number)",
    )
  })
})
