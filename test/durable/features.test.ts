// @module-tag waits
/** What an executor in memory can do, with the end of its process in the middle. */
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { pipeline, Step, ToolFilters } from "../../src/index.ts"
import { deferred, never, until } from "../support/deferred.ts"
import { type HeldTool, heldTool } from "../support/held-tool.ts"
import { durableOf, untilTag } from "./durable-of.ts"
import { describeStores, isShared } from "./stores.ts"

const out = (text: string) => () => Step.Output(text)
const gated = pipeline().awaitApproval().andThen(out("done"))
const apply = { callId: "r", name: "resolve", params: { action: "apply", reason: "so" } }
const discard = { callId: "r", name: "resolve", params: { action: "discard", reason: "no" } }

describeStores("what outlives a process", (_path, store) => {
  describe("background calls", () => {
    it("that are at their gate become tasks once it is passed, and run within the bound", async () => {
      const open = (held: HeldTool) =>
        durableOf(
          store(),
          { tool: pipeline().awaitApproval().andThen(held.hold) },
          { backgroundConcurrency: 1 },
        )
      const calls = ["a", "b"].map((callId) => ({ callId, name: "tool", background: true }))
      const first = await open(heldTool())
      await first.enqueue(calls)
      for (const _ of calls) await untilTag(first, "AwaitingApproval")
      expect(await first.tasks.list()).toEqual([])
      await first.close()

      const held = heldTool()
      const second = await open(held)
      for (const _ of calls) await untilTag(second, "AwaitingApproval")
      for (const { callId } of calls) {
        expect(await second.approve(callId)).toBe(true)
        expect(await untilTag(second, "BackgroundStarted")).toMatchObject({ callId })
      }
      const told = second.executor.tasks.list().map(({ id, status }) => `${id} ${status}`)
      expect(told).toEqual(["a running", "b pending"])
      expect(held.running).toEqual(["a"])
      await second.close()

      const last = heldTool()
      const third = await open(last)
      for (const { callId } of calls) {
        await until(() => last.running.length > 0)
        expect(last.running).toEqual([callId])
        last.release(callId)
        expect(await untilTag(third, "BackgroundCompleted")).toMatchObject({ callId, status: "complete" })
      }
    })

    it("that were moved there stay there, and their lane has moved on", async () => {
      const { plan, running, release } = heldTool()
      const first = await durableOf(store(), { plan, gated })
      await first.enqueue([
        { callId: "moved", name: "plan" },
        { callId: "behind", name: "gated" },
      ])
      await until(() => running.length > 0)
      expect(first.executor.toBackground("moved")).toBe(true)
      expect(await untilTag(first, "BackgroundStarted")).toMatchObject({ callId: "moved" })
      await untilTag(first, "AwaitingApproval")
      await first.close()

      const again = heldTool()
      const second = await durableOf(store(), { plan: again.plan, gated })
      expect(await second.tasks.get("moved")).toMatchObject({ id: "moved", name: "plan" })
      expect(await untilTag(second, "AwaitingApproval")).toMatchObject({ callId: "behind" })
      await until(() => again.running.length > 0)
      const waited = second.tasks.wait("moved")
      again.release("moved")
      expect(await waited).toMatchObject({ status: "complete", content: "moved" })
      release("moved")
      const told: Array<string> = []
      for await (const event of second.events()) {
        if ("callId" in event && event.callId === "moved") told.push(event._tag)
        if (event._tag === "BackgroundCompleted") break
      }
      expect(told).toEqual(["Started", "BackgroundStarted", "BackgroundCompleted"])
    })

    it("keep their results until they are taken, once, or `taskTtl` is over, whoever was there meanwhile", async () => {
      const tools = { tool: pipeline().andThen(out("x")) }
      const open = () => durableOf(store(), tools, { taskTtl: "1 hour" })
      const first = await open()
      for (const callId of ["a", "b"]) {
        await first.enqueue([{ callId, name: "tool", background: true }])
        await untilTag(first, "BackgroundCompleted")
      }
      await first.close()
      const second = await open()
      expect(await second.tasks.take("a")).toMatchObject({ id: "a", content: "x" })
      expect(await second.tasks.take("a")).toBeUndefined()
      await second.close()
      const third = await open()
      expect((await third.tasks.list()).map(({ id }) => id)).toEqual(["b"])
      await third.close()
      // What others read of a shared store is older than that.
      if (isShared(store())) return
      const later = Date.now() + 3_600_001
      const now = vi.spyOn(Date, "now").mockImplementation(() => later)
      onTestFinished(() => now.mockRestore())
      const fourth = await open()
      expect(await fourth.tasks.list()).toEqual([])
      await fourth.close()
      now.mockRestore()
      expect(await (await open()).tasks.list()).toEqual([])
    })
  })

  describe("previews", () => {
    const staging = () => pipeline().andThen(out("preview")).awaitResolve({ label: "Change" })

    it("are told to the next model too, which is reminded anew, or forced", async () => {
      const tools = { tool: staging().andThen(out("applied")) }
      const first = await durableOf(store(), tools)
      await first.enqueue([{ callId: "s", name: "tool" }])
      await untilTag(first, "Completed")
      const choice = first.executor.agent().toolChoice()
      expect(choice).toMatchObject({ mode: "remind", toolName: "resolve" })
      await first.close()
      const second = await durableOf(store(), tools)
      expect(second.executor.agent().toolChoice()).toEqual(choice)
      expect(
        second.executor
          .agent()
          .definitions()
          .map(({ name }) => name),
      ).toEqual(["tool", "resolve"])
      await second.close()
      const third = await durableOf(store(), tools, { resolveChoice: "forced" })
      expect(third.executor.agent().toolChoice()).toMatchObject({ mode: "force" })
      const other = await third.executor.agent().runTurn([{ callId: "o", name: "tool" }])
      expect(other).toMatchObject([{ status: "error" }])
      expect(await third.executor.agent().runTurn([apply])).toMatchObject([{ content: "applied" }])
      expect(third.executor.agent().toolChoice()).toBeUndefined()
    })

    it("that are being discarded are discarded by the next process", async () => {
      const began = deferred()
      const log: Array<string> = []
      const tool = (onDiscard: () => Step | Promise<Step>) =>
        pipeline()
          .awaitResolve({ label: "Change", onDiscard: { name: "undo", call: onDiscard } })
          .andThen(out("applied"))
          .finally(() => {
            log.push("closed")
            return Step.Continue
          })
      const stuck = tool(() => {
        began.resolve()
        return never<Step>()
      })
      const first = await durableOf(store(), { tool: stuck })
      await first.enqueue([{ callId: "s", name: "tool" }])
      await untilTag(first, "Completed")
      await first.enqueue([discard])
      await began.promise
      await first.close()
      expect(log).toEqual([])
      const undone = tool(() => {
        log.push("undone")
        return Step.Continue
      })
      const second = await durableOf(store(), { tool: undone })
      expect(await untilTag(second, "ActionResolved")).toMatchObject({ outcome: "discarded" })
      expect(await untilTag(second, "Completed")).toMatchObject({ callId: "r" })
      expect(log).toEqual(["undone", "closed"])
      expect(second.executor.agent().pendingActions.hasPending).toBe(false)
    })
  })

  describe("an edited approval", () => {
    it("runs with its parameters, and is told as edited, by the next process", async () => {
      const began = deferred()
      const plan = (last: () => Step | Promise<Step>) => (params: Record<string, unknown>) =>
        pipeline()
          .andThen(out(`text ${params.text}`))
          .awaitApproval()
          .andThen({ name: "last", call: last })
      const stuck = plan(() => {
        began.resolve()
        return never<Step>()
      })
      const first = await durableOf(store(), { tool: stuck })
      await first.enqueue([{ callId: "e", name: "tool", params: { text: "one" } }])
      await untilTag(first, "AwaitingApproval")
      expect(await first.approve("e", { params: { text: "two" } })).toBe(true)
      await began.promise
      await first.close()
      const second = await durableOf(store(), { tool: plan(() => Step.Continue) })
      expect(await untilTag(second, "Completed")).toMatchObject({
        callId: "e",
        content: "text two",
        editedParams: { text: "two" },
        decidedBy: { kind: "user" },
      })
    })
  })

  describe("rules and limits of the next process", () => {
    it("hold for what is queued; what was asked is asked again", async () => {
      const first = await durableOf(store(), { gated, other: gated })
      await first.enqueue([
        { callId: "asked", name: "gated", params: {} },
        { callId: "queued", name: "gated", params: {} },
        { callId: "allowed", name: "other", params: {} },
      ])
      await untilTag(first, "AwaitingApproval")
      await first.close()
      const filters = ToolFilters.compile({ gated: { deny: [""] }, other: { allow: [""] } })
      const second = await durableOf(store(), { gated, other: gated }, { filters })
      expect(await untilTag(second, "AwaitingApproval")).toMatchObject({ callId: "asked" })
      expect(await second.approve("asked")).toBe(true)
      expect(await untilTag(second, "Completed")).toMatchObject({ callId: "asked" })
      expect(await untilTag(second, "Denied")).toMatchObject({
        callId: "queued",
        decidedBy: { kind: "rule" },
      })
    })

    it("hooks see a call's end in whichever process it comes", async () => {
      const first = await durableOf(store(), { gated }, { hooks: { beforeCall: () => undefined } })
      await first.enqueue([{ callId: "h", name: "gated" }])
      await untilTag(first, "AwaitingApproval")
      await first.close()
      const seen: Array<string> = []
      const hooks = {
        beforeCall: () => void seen.push("before"),
        afterCall: ({ callId }: { readonly callId: string }) => {
          seen.push(`after ${callId}`)
          return { content: "rewritten" }
        },
      }
      const second = await durableOf(store(), { gated }, { hooks })
      await untilTag(second, "AwaitingApproval")
      await second.approve("h")
      expect(await untilTag(second, "Completed")).toMatchObject({ content: "rewritten" })
      expect(seen).toEqual(["after h"])
    })
  })
})
