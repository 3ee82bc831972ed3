// @module-tag waits
import { readFile, writeFile } from "node:fs/promises"
import { expect, it } from "vitest"
import { changing, recordedChanges } from "../../src/handlers/index.ts"
import { handler, pipeline, Step, type ToolEvent } from "../../src/index.ts"
import { localFiles } from "../../src/io/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { usePostgres } from "../servers/postgres.ts"
import { deferred } from "../support/deferred.ts"
import { describeWith } from "../support/needs.ts"
import { durableOf, untilTag } from "./durable-of.ts"
import { ranIn, tag, useHosts } from "./hosts.ts"
import { describeStores, leasesEnd } from "./stores.ts"

const approving = {
  onEvent: (event: ToolEvent) => void (event._tag === "AwaitingApproval" && event.approve()),
}

describeStores("The receipts of handlers", (path, store) => {
  const hosts = useHosts()
  const tickets: Array<string> = []
  const ticket = pipeline().andThen(
    handler(
      "CreateTicket",
      ({ receipt, call }) => {
        receipt({ id: call.callId })
        return Step.Continue
      },
      { undo: ({ id }: { readonly id: string }) => void tickets.push(id) },
    ),
  )

  const apply = async (durable: Awaited<ReturnType<typeof durableOf>>) =>
    durable.executor.agent().resolve({ action: "apply", reason: "" }, approving)

  it("outlive their process, and are taken back once", async () => {
    tickets.length = 0
    const first = await durableOf(store(), { ticket })
    await first.executor.run({ callId: "a", name: "ticket" })
    await first.executor.run({ callId: "b", name: "ticket" })
    expect(await first.result("a")).not.toHaveProperty("receipts")
    await first.close()
    const second = await durableOf(store(), { ticket })
    expect(second.executor.changes()).toMatchObject([
      { callId: "a", handlers: ["CreateTicket"], turn: 1 },
      { callId: "b", handlers: ["CreateTicket"], turn: 2 },
    ])
    await second.executor.agent().undo({ callId: "a" })
    expect(await apply(second)).toMatchObject({
      content: expect.stringContaining("Taken back: CreateTicket"),
    })
    expect(tickets).toEqual(["a"])
    await second.close()
    const third = await durableOf(store(), { ticket })
    const [a, b, undo] = third.executor.changes()
    expect(undo).toMatchObject({ name: "undo", undoes: ["a"], unknown: ["the undo of CreateTicket"] })
    expect(a).toMatchObject({ callId: "a", undoneBy: undo!.callId })
    expect(b).toMatchObject({ callId: "b", handlers: ["CreateTicket"] })
    expect(await third.executor.agent().undo({ callId: "a" })).toMatchObject({
      status: "error",
      content: `Nothing is left of call "a": call "${undo!.callId}" has taken it back.`,
    })
    await third.executor.agent().undo({ last: 1 })
    await apply(third)
    expect(tickets).toEqual(["a", "b"])
  })

  it("whose handlers are not there any more are named, and left", async () => {
    const first = await durableOf(store(), { ticket })
    await first.executor.run({ callId: "a", name: "ticket" })
    await first.close()
    const second = await durableOf(store(), { ticket: pipeline() })
    expect((await second.executor.agent().undo({ callId: "a" })).content).toBe(
      "Nothing can be taken back.\nLeft alone:\nCreateTicket: its tool `ticket` has no such handler with an `undo` any more",
    )
  })

  it("of what applied a preview are taken back by the handler of that place", async () => {
    tickets.length = 0
    const named = (which: string) =>
      handler(
        "Same",
        ({ receipt }) => {
          receipt("")
          return Step.Continue
        },
        { undo: () => void tickets.push(which) },
      )
    const staged = pipeline()
      .andThen(named("before"))
      .awaitResolve({ label: "Change" })
      .andThen(named("behind"))
      .andThen(named("last"))
    const first = await durableOf(store(), { staged })
    await first.executor.run({ callId: "a", name: "staged" })
    await apply(first)
    await first.close()
    const second = await durableOf(store(), { staged })
    await second.executor.agent().undo({ callId: "a" })
    await apply(second)
    expect(tickets).toEqual(["last", "behind", "before"])
  })

  it("are kept once if the handler runs again in the next process", async () => {
    tickets.length = 0
    const begun = deferred()
    const twice = (end: Promise<unknown>) =>
      pipeline().andThen(
        handler(
          "Twice",
          async ({ receipt }) => {
            receipt({ id: "1" })
            receipt({ id: "1" })
            begun.resolve()
            await end
            return Step.Continue
          },
          { undo: ({ id }: { readonly id: string }) => void tickets.push(id) },
        ),
      )
    const first = await durableOf(store(), { twice: twice(new Promise(() => undefined)) })
    first.executor.enqueue([{ callId: "a", name: "twice" }])
    await begun.promise
    await first.close()
    const second = await durableOf(store(), { twice: twice(Promise.resolve()) })
    await untilTag(second, "Completed")
    expect(second.executor.changes()).toMatchObject([{ callId: "a", handlers: ["Twice", "Twice"] }])
    await second.executor.agent().undo({ callId: "a" })
    await apply(second)
    expect(tickets).toEqual(["1", "1"])
  })

  it("are of one call with the changes of files in the log", async () => {
    tickets.length = 0
    const both = pipeline().andThen(
      handler(
        "Both",
        async (context) => {
          const file = path("touched")
          await changing(context, localFiles, [{ path: file }], () => writeFile(file, "touched"))
          context.receipt({ id: "both" })
          return Step.Continue
        },
        { undo: ({ id }: { readonly id: string }) => void tickets.push(id) },
      ),
    )
    const cwd = path()
    const first = await durableOf(store(), { both }, { cwd })
    await first.executor.run({ callId: "a", name: "both" })
    await first.close()
    const second = await durableOf(store(), { both }, { cwd })
    second.executor.restoreChanges(await recordedChanges({ cwd }))
    expect(second.executor.changes()).toMatchObject([
      { callId: expect.stringMatching(/:a$/), paths: [{ path: path("touched") }], handlers: ["Both"] },
    ])
    await second.executor.agent().undo({ callId: "a" })
    expect((await apply(second)).status).toBe("complete")
    expect(tickets).toEqual(["both"])
    await expect(readFile(path("touched"))).rejects.toThrow("ENOENT")
  })

  it("of a call that goes on in the next process are kept through both", async () => {
    const plan = { store: store(), calls: [{ callId: "a", name: "ticket" }] }
    await hosts.run(path(), plan, tag("AwaitingApproval"))
    await leasesEnd(store())
    const told = await hosts.run(path(), { store: store(), decide: "approve", undo: "a" })
    expect(told.find(tag("Applied"))).toMatchObject({
      content: expect.stringContaining("Taken back: ticket 2, ticket 1"),
    })
    const ran = ["made ticket 1", "made ticket 2", "took back ticket 2", "took back ticket 1"]
    expect(await ranIn(path())).toEqual(ran)
    const again = await hosts.run(path(), { store: store(), undo: "a" })
    expect(again.find(tag("Preview"))).toMatchObject({
      status: "error",
      content: expect.stringMatching(/^Nothing is left of call "a": call ".*" has taken it back\.$/),
    })
  })

  it("survive kill -9 behind the end of their call", async () => {
    const calls = [{ callId: "a", name: "ticket", decision: "approve" as const }]
    await hosts.run(path(), { store: store(), calls, stays: true }, tag("Completed"))
    await leasesEnd(store())
    await hosts.run(path(), { store: store(), undo: "a" })
    expect((await ranIn(path())).slice(2)).toEqual(["took back ticket 2", "took back ticket 1"])
  })

  it("are offered again with a warning after kill -9 during their undo, unless that was over", async () => {
    const calls = [{ callId: "a", name: "ticket", decision: "approve" as const }]
    await hosts.run(path(), { store: store(), calls })
    expect(await hosts.dies(path(), { store: store(), undo: "a", diesIn: "ticket 1" })).toBe(true)
    await leasesEnd(store())
    const told = await hosts.run(path(), { store: store(), undo: "a" })
    const preview = told.find(tag("Preview"))!
    expect(preview.content).toContain("Taken back by the handlers that did it: ticket 1\n")
    expect(preview.content).toContain("May be taken back already, since a process ended meanwhile: ticket 1")
    expect(told.find(tag("Applied"))).toMatchObject({ status: "complete" })
    const undone = ["took back ticket 2", "took back ticket 1", "took back ticket 1"]
    expect((await ranIn(path())).slice(2)).toEqual(undone)
  })
})

describeWith("postgres")("two processes that take one call back at once", () => {
  const path = useTempFolder()
  const server = usePostgres()
  const hosts = useHosts()

  it("take it back once", async () => {
    const store = await server.database()
    const calls = [{ callId: "a", name: "ticket", decision: "approve" as const }]
    await hosts.run(path(), { store, calls })
    const both = await Promise.all([1, 2].map(() => hosts.run(path(), { store, undo: "a" })))
    const applied = both.flatMap((told) => told.filter(tag("Applied")))
    expect(applied.map(({ content }) => String(content).split("\n")[1])).toEqual([
      "Taken back: ticket 2, ticket 1",
    ])
    expect((await ranIn(path())).slice(2)).toEqual(["took back ticket 2", "took back ticket 1"])
  })
})
