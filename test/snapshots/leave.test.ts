// @module-tag waits
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { pipeline, Step, type ToolEvent, type ToolExecutor } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { deferred, turn } from "../support/deferred.ts"
import { executorOf, registryOf, toolOf } from "../support/executor-of.ts"
import { gatedTool } from "../support/gated-tool.ts"

const path = useTempFolder()

const untilGate = async (executor: ToolExecutor): Promise<ToolEvent> => {
  for (;;) {
    const event = await executor.next()
    if (event === undefined) throw new Error("No gate was reached")
    if (event._tag === "AwaitingApproval") return event
  }
}

const call = { callId: "c", name: "write" }

describe("a call that is taken out", () => {
  it("does not end, and continues from its snapshot in another executor", async () => {
    const { plan, log } = gatedTool()
    const executor = executorOf({ write: plan })
    const told: Array<ToolEvent["_tag"]> = []
    executor.watch({ event: ({ _tag }) => told.push(_tag) })
    const asked = deferred()
    const result = executor.run(call, (event) => {
      if (event._tag === "AwaitingApproval") asked.resolve()
    })
    await asked.promise
    const snapshot = executor.leave("c")
    await expect(result).rejects.toThrow('Call "c" was taken out of its executor: its snapshot continues it')
    expect(executor.inspect()).toEqual([])
    expect(executor.approve("c")).toBe(false)
    await executor.shutdown()
    expect(told).toEqual(["Started", "AwaitingApproval"])
    expect(log).toEqual(["before"])

    const later = executorOf({ write: plan })
    later.restore(JSON.parse(JSON.stringify(snapshot)))
    const events: Array<ToolEvent["_tag"]> = []
    for (let event = await later.next(); event !== undefined; event = await later.next()) {
      events.push(event._tag)
      if (event._tag === "AwaitingApproval") event.approve()
    }
    expect(events).toEqual(["AwaitingApproval", "Completed"])
    expect(log).toEqual(["before", "after", "closed"])
  })

  it("lets the next call of its lane run, ends the reads that wait, and frees its id", async () => {
    const { plan } = gatedTool()
    const executor = executorOf({ write: plan, read: pipeline().andThen(() => Step.Output("read")) })
    executor.enqueue([call])
    await untilGate(executor)
    executor.enqueue([{ callId: "next", name: "read" }])
    const snapshot = executor.leave("c")
    expect((await executor.next())?._tag).toBe("Started")
    expect(await executor.next()).toMatchObject({ _tag: "Completed", callId: "next" })
    expect(await executor.next()).toBeUndefined()
    expect(executor.restore(snapshot)).toBe("c")
    expect(await executor.next()).toMatchObject({ _tag: "AwaitingApproval", callId: "c" })
    const idle = executor.next()
    executor.leave("c")
    expect(await idle).toBeUndefined()
  })

  it("lets no other call begin before its snapshot is returned", async () => {
    const log: Array<string> = []
    const read = pipeline().andThen(() => {
      log.push("read")
      return Step.Continue
    })
    const executor = executorOf({ write: gatedTool().plan, read })
    executor.enqueue([call, { name: "read" }])
    await untilGate(executor)
    executor.leave("c")
    log.push("left")
    while ((await executor.next()) !== undefined) {}
    expect(log).toEqual(["left", "read"])
  })

  it("releases what its Effects have acquired before a shutdown is over", async () => {
    const log: Array<string> = []
    const release = () => Effect.promise(turn).pipe(Effect.andThen(Effect.sync(() => log.push("released"))))
    const plan = pipeline()
      .andThen(() => Effect.acquireRelease(Effect.succeed(Step.Continue), release))
      .awaitApproval()
    const executor = executorOf({ write: plan })
    executor.enqueue([call])
    await untilGate(executor)
    executor.leave("c")
    await executor.shutdown()
    expect(log).toEqual(["released"])
  })

  it("is passed over where its rules or reviewers have not answered yet", async () => {
    const { plan } = gatedTool()
    const review = deferred<never>()
    const asked = deferred()
    const executor = executorOf(
      { write: plan },
      {
        reviewers: [
          (_question, { signal }) => {
            signal.addEventListener("abort", () => review.reject(signal.reason))
            asked.resolve()
            return review.promise
          },
        ],
      },
    )
    executor.enqueue([call])
    await asked.promise
    executor.leave("c")
    await expect(review.promise).rejects.toThrow("The process ends")
    expect((await executor.next())?._tag).toBe("Started")
    expect(await executor.next()).toBeUndefined()
  })

  it("is passed over where its commands wait behind those of a call that takes it out", async () => {
    const holds = deferred()
    const options = { annotations: { readOnly: true } }
    const taker = pipeline().andThen(() => {
      executor.leave("c")
      return Step.Continue
    })
    const executor = executorOf(
      {
        first: pipeline().andThen(() => holds.promise.then(() => Step.Continue)),
        taker: toolOf("taker", taker, options),
        write: toolOf("write", pipeline().awaitApproval(), options),
      },
      { parallelReads: true },
    )
    executor.enqueue([{ callId: "f", name: "first" }, { callId: "t", name: "taker" }, call])
    holds.resolve()
    const told: Array<string> = []
    for (let event = await executor.next(); event !== undefined; event = await executor.next())
      if ("callId" in event) told.push(`${event.callId} ${event._tag}`)
    expect(told).toEqual(["f Started", "f Completed", "t Started", "t Completed"])
  })

  it("takes its task and its place in a limit with it", async () => {
    const { plan } = gatedTool()
    const write = toolOf("write", plan, { background: true })
    const executor = executorOf({ write }, { limits: [{ tools: ["write"], concurrency: 1 }] })
    executor.enqueue([{ ...call, background: true }])
    await untilGate(executor)
    const waited = executor.tasks.wait("c")
    executor.leave("c")
    expect(await waited).toBeUndefined()
    expect(executor.tasks.list()).toEqual([])
    executor.enqueue([{ callId: "next", name: "write", background: true }])
    expect(await untilGate(executor)).toMatchObject({ callId: "next" })
  })

  it("may be a preview, which another executor applies", async () => {
    const log: Array<string> = []
    const plan = pipeline()
      .andThen(() => Step.Output("preview"))
      .awaitResolve({ label: "Write a.ts" })
      .andThen(() => Step.Output("written"))
      .finally(() => {
        log.push("closed")
        return Step.Continue
      })
    const executor = executorOf({ write: plan })
    const left: Array<string> = []
    executor.watch({ left: (id) => left.push(id) })
    await executor.run(call)
    const { actionId } = executor.agent().pendingActions.peek()!
    let changes = 0
    executor.agent().onDefinitionsChange(() => (changes += 1))
    const snapshot = executor.leave("c")
    expect(changes).toBe(1)
    expect(left).toEqual([actionId])
    expect(executor.agent().pendingActions.list()).toEqual([])
    expect(
      executor
        .agent()
        .definitions()
        .map(({ name }) => name),
    ).not.toContain("resolve")
    await executor.shutdown()
    expect(log).toEqual([])
    const later = executorOf({ write: plan })
    later.restore(snapshot)
    expect(await later.agent().resolve({ action: "apply", reason: "good" })).toMatchObject({
      content: "written",
    })
    expect(log).toEqual(["closed"])
  })

  it("holds its preview if it waits to apply one", async () => {
    const plan = pipeline()
      .andThen(() => Step.Output("preview"))
      .awaitResolve({ label: "Write a.ts" })
      .awaitApproval()
      .andThen(() => Step.Output("written"))
      .finally(() => {
        log.push("closed")
        return Step.Continue
      })
    const log: Array<string> = []
    const executor = executorOf({ write: plan })
    await executor.run(call)
    executor.enqueue([{ callId: "apply", name: "resolve", params: { action: "apply", reason: "good" } }])
    await untilGate(executor)
    const snapshot = executor.leave("apply")
    await executor.shutdown()
    expect(log).toEqual([])
    const later = executorOf({ write: plan })
    later.restore(snapshot)
    expect(later.agent().pendingActions.hasPending).toBe(false)
    for (let event = await later.next(); event !== undefined; event = await later.next())
      if (event._tag === "AwaitingApproval") event.approve()
      else if (event._tag === "Completed") expect(event.content).toBe("written")
    expect(later.agent().pendingActions.list()).toEqual([])
  })

  it("is refused while it runs, when it is nested, unknown, or a store keeps it", async () => {
    const { plan } = gatedTool()
    const executor = executorOf({
      write: plan,
      outer: pipeline().andThen(async ({ call }) => Step.Output((await call("write")).content)),
    })
    executor.enqueue([{ callId: "o", name: "outer" }])
    await untilGate(executor)
    expect(() => executor.leave("o/1")).toThrow(
      'Call "o/1" is nested: a handler of its outer call waits for it',
    )
    expect(() => executor.leave("o")).toThrow('Call "o" is not at rest')
    expect(() => executor.leave("other")).toThrow('There is no call "other" that is active')
    const durable = await openDurableExecutor({
      store: path("calls.db"),
      registry: registryOf({ write: plan }),
    })
    durable.executor.enqueue([call])
    await untilGate(durable.executor)
    expect(() => durable.executor.leave("c")).toThrow("continue from their store: shut the executor down")
    await durable.close()
  })
})
