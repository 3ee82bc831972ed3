// @module-tag waits
import { expect, it, onTestFinished } from "vitest"
import {
  type DurableCalls,
  type DurableExecutor,
  type DurableOptions,
  type InboxItem,
  openDurableExecutor,
} from "../../src/durable/index.ts"
import {
  defineTool,
  pipeline,
  Step,
  type Tool,
  type ToolPipeline,
  ToolRegistry,
  textOf,
} from "../../src/index.ts"
import { note } from "../hosts/web/tools.ts"
import { describeStores } from "./stores.ts"

const opened = async (
  store: string,
  tools: ReadonlyArray<Tool>,
  options: DurableOptions = {},
): Promise<DurableExecutor> => {
  const durable = await openDurableExecutor({ store, registry: new ToolRegistry(tools), ...options })
  onTestFinished(() => durable.close())
  return durable
}

const clientOf = async (store: string): Promise<DurableCalls> => {
  const client = await openDurableExecutor({ store, runner: false })
  onTestFinished(() => client.close())
  return client
}

/** Until so many questions were told. */
const untilAsked = async ({ executor }: DurableExecutor, count: number): Promise<void> => {
  let asked = 0
  for await (const { _tag } of executor.events) {
    if (_tag === "AwaitingApproval" || _tag === "Delegate") asked += 1
    if (asked === count) return
  }
}

const untilCompleted = async (durable: DurableCalls, callId: string): Promise<void> => {
  for await (const event of durable.events())
    if (event._tag === "Completed" && event.callId === callId) return
}

const asking = (name: string, compose: () => ToolPipeline) =>
  defineTool({ name, description: name, parameters: { type: "object", properties: {} } as const, compose })

const timeout = Number.POSITIVE_INFINITY

/** Asks twice at a gate, twice for an effect, and twice in the middle of a handler. */
const twice = [
  asking("gates", () =>
    pipeline()
      .awaitApproval({ label: "first" })
      .awaitApproval({ label: "second" })
      .andThen(() => Step.Output("approved")),
  ),
  asking("effects", () =>
    pipeline()
      .andThen(() => Step.Delegate({ _tag: "Ask", what: "first" }, { timeout }))
      .andThen(() => Step.Delegate({ _tag: "Ask", what: "second" }, { timeout })),
  ),
  asking("midway", () =>
    pipeline().andThen(async (context) => {
      const first = await context.delegate({ _tag: "Ask", what: "first" }, { timeout })
      const second = await context.delegate({ _tag: "Ask", what: "second" }, { timeout })
      return Step.Output(`${textOf(first!)}, ${textOf(second!)}`)
    }),
  ),
]

describeStores("a page", (_path, storeOf) => {
  it.each([Number.NaN, 1.5, "2"])("of questions or events does not go on behind %j", async (after) => {
    const runner = await opened(storeOf(), twice)
    const message = "Expected `after` to be the `seq` of what was read last"
    await expect(runner.inbox({ after: after as number })).rejects.toThrow(message)
    await expect(runner.events({ after: after as number }).next()).rejects.toThrow(message)
  })

  it("of events does not go on behind an event that the store never had, as after a restored backup", async () => {
    const runner = await opened(storeOf(), twice)
    await using client = await openDurableExecutor({ store: storeOf(), runner: false })
    for (const reader of [runner, client]) {
      await expect(reader.events({ after: 1_000_000_000 }).next()).rejects.toThrow(
        /^The store has no event 1000000000: its events end at \d+\. It was restored from a backup, or is another one: read it anew, without `after`$/,
      )
    }
  })

  it.each([0, Number.NaN, 1.5])("of questions cannot have %j of them", async (limit) => {
    const runner = await opened(storeOf(), twice)
    await expect(runner.inbox({ limit })).rejects.toThrow("Expected `limit` to be a positive integer")
  })
})

describeStores("a question of the inbox", (_path, storeOf) => {
  it("is told as what it is, also in the middle of a handler; what functions answer is none", async () => {
    const inTheMiddle = asking("middle", () =>
      pipeline().andThen(async function* () {
        yield Step.Output("a preview")
        yield Step.AwaitApproval({ label: "in the middle" })
        yield Step.Output("done")
      }),
    )
    const answered = asking("answered", () => pipeline().andThen(() => Step.Delegate({ _tag: "Known" })))
    const waits = asking("waits", () =>
      pipeline().andThen(() => Step.Delegate({ _tag: "WaitBackgroundTask", taskId: "task" })),
    )
    let release = () => {}
    const released = new Promise<undefined>((resolve) => {
      release = () => resolve(undefined)
    })
    onTestFinished(release)
    const delegates = { Known: () => released, Ask: undefined }
    const runner = await opened(storeOf(), [...twice, inTheMiddle, answered, waits], { delegates })
    await runner.enqueue([{ name: "answered", callId: "task", agentId: "waits", background: true }])
    for await (const { _tag } of runner.executor.events) if (_tag === "BackgroundStarted") break
    const names = ["gates", "effects", "midway", "middle", "answered", "waits"]
    await runner.enqueue(names.map((name) => ({ name, callId: name, agentId: name })))
    await untilAsked(runner, 4)
    const items = await runner.inbox()
    expect(
      items.map(({ callId, kind, label, effect, preview }) => [
        callId,
        kind,
        label ?? effect,
        preview?.content,
      ]),
    ).toEqual([
      ["gates", "approval", "first", undefined],
      ["effects", "effect", { _tag: "Ask", what: "first" }, undefined],
      ["midway", "effect", { _tag: "Ask", what: "first" }, undefined],
      ["middle", "approval", "in the middle", [{ type: "text", text: "a preview" }]],
    ])
    for (const { askedAt } of items) expect(askedAt).toBeTypeOf("number")
  })

  it("is answered by what means it, and not by what meant the one before", async () => {
    const store = storeOf()
    const runner = await opened(store, twice)
    const client = await clientOf(store)
    for (const name of ["gates", "effects", "midway"]) {
      await runner.enqueue([{ name, callId: name }])
      await untilAsked(runner, 1)
      const [first] = await client.inbox()
      const asked = untilAsked(runner, 1)
      const answer = (item: InboxItem, by: DurableCalls) =>
        item.kind === "effect"
          ? by.respond(name, { output: "answered" }, item)
          : by.approve(name, { reason: "approved" }, item)
      expect(await answer(first!, client)).toBe(true)
      await asked
      const [second] = await runner.inbox()
      expect(await answer(first!, client)).toBe(false)
      expect(await answer(first!, runner)).toBe(false)
      expect(await client.deny(name, "no", first)).toBe(false)
      expect(await client.deny(name, "no", { kind: "start" })).toBe(false)
      expect(await answer(second!, client)).toBe(true)
      await untilCompleted(runner, name)
    }
  })

  it("is the same one after a restart, for an answer that came before", async () => {
    const store = storeOf()
    const first = await opened(store, twice)
    await first.enqueue(["gates", "effects"].map((name) => ({ name, callId: name, agentId: name })))
    await untilAsked(first, 2)
    const client = await clientOf(store)
    const [gate, effect] = await client.inbox()
    await first.close()
    const approved = client.approve("gates", {}, gate)
    const answered = client.respond("effects", { output: "yes" }, effect)
    const second = await opened(store, twice)
    expect(await approved).toBe(true)
    expect(await answered).toBe(true)
    const asked = () => client.inbox().then((items) => items.map(({ label, effect }) => label ?? effect))
    await expect.poll(asked).toEqual(["second", { _tag: "Ask", what: "second" }])
    await second.close()
  })

  it("of whether a call may begin is over once it has begun", async () => {
    const store = storeOf()
    const asks = asking("asks", () => pipeline().awaitApproval({ label: "first", person: true }))
    const runner = await opened(store, [asks])
    await runner.enqueue([{ name: "asks", callId: "a", decision: "requested" }])
    const client = await clientOf(store)
    const [start] = await client.inbox()
    expect(start).toMatchObject({ kind: "start" })
    const asked = untilAsked(runner, 1)
    expect(await client.approve("a", {}, start)).toBe(true)
    await asked
    expect(await client.approve("a", {}, start)).toBe(false)
    expect(await runner.inbox()).toMatchObject([{ label: "first" }])
  })
})

describeStores("an answer that comes while nobody runs the calls", (_path, storeOf) => {
  it("counts once somebody does", async () => {
    const store = storeOf()
    const open = () => openDurableExecutor({ store, registry: new ToolRegistry([note]) })
    const first = await open()
    await first.enqueue([{ callId: "a", name: "note", params: { text: "a" } }])
    for await (const event of first.events()) if (event._tag === "AwaitingApproval") break
    const client = await openDurableExecutor({ store, runner: false })
    await first.close()
    const took = client.approve("a")
    const second = await open()
    expect(await took).toBe(true)
    await client.close()
    await second.close()
  })
})
