// @module-tag waits
import { cp, mkdir, readdir, rename, rm } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { runCodeTool } from "../../src/code/index.ts"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { type HandlerContext, handler, pipeline, Step, ToolFilters } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { until } from "../support/deferred.ts"
import { durableOf, untilTag } from "./durable-of.ts"
import { ranIn, type Told, useHosts } from "./hosts.ts"
import { type HostPlan, runHost } from "./store-host.ts"
import { describeStores } from "./stores.ts"

const strictly = [
  "before;strict;",
  "Interrupted: the process ended while strict ran. It may have run, wholly or in part: look before you call it again.",
]
const contents = strictly.map((strict) =>
  ["first;second;", "first;second;", "first;second;", strict, "first;second;"].join("|"),
)

const plan: HostPlan = { calls: [{ callId: "o", name: "nest" }], decide: "approve" }

const ends: ReadonlyArray<string> = ["Completed", "Error", "Denied", "Cancelled"]

/** Each nested call has ended once, and has begun once: only what was in flight when its process ended has run twice, and never `strict`. */
const expectOnce = (told: ReadonlyArray<Told>, ran: ReadonlyArray<string>): void => {
  const ended = told.filter(({ _tag, callId }) => ends.includes(_tag) && callId !== "o")
  expect(ended.map(({ callId, parentId }) => [callId, parentId]).sort()).toEqual(
    [1, 2, 3, 4, 5].map((place) => [`o/${place}`, "o"]),
  )
  for (const line of new Set(ran)) {
    const times = ran.filter((other) => other === line).length
    expect(times, line).toBeLessThanOrEqual(line.includes(" strict ") ? 1 : 2)
  }
  const keys = ran.map((line) => line.split(" ").at(-1)!)
  expect(keys.filter((key) => key.startsWith("o/")).length).toBeGreaterThanOrEqual(10)
}

/** As code of a model. What it is given by chance and by the clock is part of its calls. */
const source = `
  const contents = []
  for (const text of ["one", String(Math.random())]) contents.push(await tools.work({ text }))
  const text = new Date().toISOString()
  const rest = await Promise.all([tools.work(), tools.once().catch((error) => error.message), tools.work({ text })])
  return [...contents, ...rest].join("|")`

const code: HostPlan = {
  calls: [{ callId: "o", name: "run_code", params: { source }, decision: "approve" }],
  decide: "approve",
}

describe("the nested calls of a host that is killed", () => {
  const path = useTempFolder()
  const hosts = useHosts()

  it("end once each, before and after any of its commits", async () => {
    const [folder, images] = [path("host"), path("images")]
    await mkdir(folder)
    const whole = await hosts.run(folder, { ...plan, images })
    expectOnce(whole, await ranIn(folder))
    const moments = await readdir(images)
    expect(moments.length).toBeGreaterThan(30)
    for (const moment of moments) {
      await rm(folder, { recursive: true })
      await rename(join(images, moment), folder)
      const told: Array<Told> = []
      await runHost(folder, plan, (line) => told.push(line as Told))
      const end = told.find(({ callId, _tag }) => callId === "o" && ends.includes(_tag))
      // A kill after the last commit leaves nothing to do.
      if (end !== undefined) expect(contents, `killed ${moment}`).toContain(end.content)
      const twice = (await ranIn(folder)).filter((line, index, all) => all.indexOf(line) < index)
      expect(new Set(twice).size, `killed ${moment}`).toBeLessThanOrEqual(3)
      expect(twice.filter((line) => line.includes(" strict "))).toEqual([])
    }
  }, 900_000)

  it.each([
    ["of a handler", plan],
    ["of code", code],
  ])(
    "%s go on in one process after the other, and none runs again that has ended",
    async (_, plan) => {
      const folder = path("host")
      await mkdir(folder)
      let processes = 1
      while (await hosts.dies(folder, { ...plan, diesTelling: 4 })) {
        processes += 1
        expect(processes).toBeLessThan(30)
      }
      expect(processes).toBeGreaterThan(3)
      // From the store: the outer call may have ended in a process that did not live to tell it.
      await using client = await openDurableExecutor({ store: `${folder}/calls.db`, runner: false })
      const { content } = (await client.result("o")) as { content: string }
      expect(contents).toContain(content.replaceAll('"', ""))
      const ran = await ranIn(folder)
      expect(ran.filter((line) => line.includes(" strict ")).length).toBeLessThanOrEqual(1)
      for (const place of [1, 2, 3, 5]) {
        const seconds = ran.filter((line) => line.startsWith(`o/${place} second`)).length
        expect([1, 2]).toContain(seconds)
      }
    },
    300_000,
  )

  it("that were planned stay planned, though a rule approves such calls for the next process", async () => {
    await mkdir(path("first"))
    let hangs = true
    const plans = {
      gated: pipeline()
        .awaitApproval()
        .andThen(() => Step.Output("done")),
      read: () => pipeline().andThen(() => (hangs ? new Promise<Step>(() => {}) : Step.Output("read"))),
      run_code: runCodeTool({ tools: ["gated", "read"] }),
    }
    const params = { source: "return [await tools.gated(), await tools.read()]", plan: true }
    const first = await durableOf(path("first/calls.db"), plans)
    await first.enqueue([{ callId: "o", name: "run_code", params, decision: "approve" }])
    await untilTag(first, "Started")
    expect(await untilTag(first, "Started")).toMatchObject({ callId: "o/1", name: "read" })
    // As a kill leaves it: `close` would store the outer call once more.
    await cp(path("first"), path("second"), { recursive: true })
    hangs = false
    const filters = ToolFilters.compile({ gated: { allow: [""] } })
    const second = await durableOf(path("second/calls.db"), plans, { filters })
    await untilTag(second, "Completed")
    expect(await untilTag(second, "Completed")).toMatchObject({ callId: "o/2" })
    expect((await untilTag(second, "Completed")).content).toBe(
      '[result]\n[{"planned":1},"read"]\n[plan]\n1. gated applied: done',
    )
  })
})

describeStores("A nested call", (_path, store) => {
  const gated = pipeline()
    .awaitApproval()
    .andThen(() => Step.Output("done"))
  const outer = (work: (call: HandlerContext["call"], context: HandlerContext) => unknown) =>
    pipeline().andThen(
      handler("outer", async (context) =>
        Step.Output(JSON.stringify((await work(context.call, context)) ?? null)),
      ),
    )

  it("that is open goes on in the next process, where its outer call waits for it again", async () => {
    const plans = {
      outer: outer(async (call, { attempt }) => [
        attempt,
        (await call("gated", { a: 1 }, { label: "why" })).content,
      ]),
      gated,
    }
    for (let process = 0; process < 5; process += 1) {
      const durable = await durableOf(store(), plans)
      if (process === 0) await durable.enqueue([{ callId: "o", name: "outer" }])
      if (process === 0) await untilTag(durable, "AwaitingApproval")
      const question = { callId: "o/1", parentId: "o", name: "gated", label: "why", kind: "approval" }
      await expect.poll(() => durable.inbox()).toMatchObject([question])
      await durable.close()
    }
    const last = await durableOf(store(), plans)
    await untilTag(last, "AwaitingApproval")
    expect(await last.approve("o/1")).toBe(true)
    // No handler is to blame where processes end while a person is asked.
    expect(await untilTag(last, "Completed")).toMatchObject({ callId: "o/1", parentId: "o" })
    expect(await untilTag(last, "Completed")).toMatchObject({ callId: "o", content: '[1,"done"]' })
  })

  it("that has ended answers its handler again, and another one at its place diverges", async () => {
    let made = { name: "echo", params: { a: 1 } as object }
    let hangs = true
    const seen: Array<unknown> = []
    const plans = {
      echo: (params: object) =>
        pipeline().andThen(() => {
          seen.push(params)
          return Step.Output("said")
        }),
      outer: outer(async (call) => {
        const first = await call(made.name, made.params)
        await until(() => !hangs)
        const second = await call("echo", { a: 2 })
        return [first, second].map(({ status, reason, content }) => reason ?? `${status} ${content}`)
      }),
    }
    const first = await durableOf(store(), plans)
    await first.enqueue([{ callId: "o", name: "outer" }])
    await untilTag(first, "Completed")
    await first.close()

    made = { name: "echo", params: { a: 3 } }
    hangs = false
    const second = await durableOf(store(), plans)
    expect(await untilTag(second, "Completed")).toMatchObject({ callId: "o/2" })
    expect(await untilTag(second, "Completed")).toMatchObject({
      callId: "o",
      content: '["diverged","complete said"]',
    })
    expect(seen).toEqual([{ a: 1 }, { a: 2 }])
    expect(await second.result("o/1")).not.toHaveProperty("madeWith")

    // A new call with the outer call's id begins anew.
    hangs = true
    await second.enqueue([{ callId: "o2", name: "outer" }])
    await untilTag(second, "Completed")
    await second.close()
    hangs = false
    const third = await durableOf(store(), plans)
    expect(await untilTag(third, "Completed")).toMatchObject({ callId: "o2/2" })
    expect(await untilTag(third, "Completed")).toMatchObject({ content: '["complete said","complete said"]' })
    expect(seen).toHaveLength(4)
  })

  it("that is planned, and approved before an earlier one, waits for its turn through restarts", async () => {
    const ran: Array<string> = []
    const plans = {
      write: ({ path }: { path?: string }) =>
        pipeline()
          .awaitApproval()
          .andThen(() => {
            ran.push(path!)
            return Step.Output(`wrote ${path}`)
          }),
      run_code: runCodeTool({ tools: ["write"] }),
    }
    const source = `for (const path of ["a", "b", "c"]) await tools.write({ path })\nreturn Math.random()`
    const params = { source, plan: true }
    const first = await durableOf(store(), plans)
    await first.enqueue([{ callId: "o", name: "run_code", params, decision: "approve" }])
    for (let asked = 0; asked < 3; asked += 1) await untilTag(first, "AwaitingApproval")
    expect(await first.approve("o/3")).toBe(true)
    await first.close()
    const second = await durableOf(store(), plans)
    expect((await second.inbox()).map(({ callId }) => callId).sort()).toEqual(["o/1", "o/2"])
    await untilTag(second, "AwaitingApproval")
    await untilTag(second, "AwaitingApproval")
    expect(await second.deny("o/2", "not b")).toBe(true)
    expect(await untilTag(second, "Denied")).toMatchObject({ callId: "o/2" })
    expect(ran).toEqual([])
    await second.close()
    const third = await durableOf(store(), plans)
    await untilTag(third, "AwaitingApproval")
    await third.approve("o/1")
    expect(await untilTag(third, "Completed")).toMatchObject({ callId: "o/1" })
    expect(await untilTag(third, "Completed")).toMatchObject({ callId: "o/3" })
    const { output } = (await untilTag(third, "Completed")) as { output: { structured: unknown } }
    expect(ran).toEqual(["a", "c"])
    expect(output.structured).toMatchObject({
      plan: [
        { planned: 1, tool: "write", status: "applied", message: "wrote a" },
        { planned: 2, tool: "write", status: "denied", message: "not b" },
        { planned: 3, tool: "write", status: "applied", message: "wrote c" },
      ],
    })
  })

  it("of one branch of code is made again in the same place, whichever branch was answered first", async () => {
    const plans = {
      gated,
      read: pipeline().andThen(() => Step.Output("read")),
      run_code: runCodeTool({ tools: ["gated", "read"] }),
    }
    const source = `
      const branch = async (name) => [await tools.gated({ name }), await tools.read({ name })]
      return [await Promise.all(["a", "b"].map(branch)), await tools.gated({ name: "last" })]`
    const first = await durableOf(store(), plans)
    await first.enqueue([{ callId: "o", name: "run_code", params: { source }, decision: "approve" }])
    await untilTag(first, "AwaitingApproval")
    await untilTag(first, "AwaitingApproval")
    await first.approve("o/2")
    expect(await untilTag(first, "Completed")).toMatchObject({ callId: "o/2" })
    expect(await untilTag(first, "Completed")).toMatchObject({ callId: "o/3" })
    await first.approve("o/1")
    await untilTag(first, "AwaitingApproval")
    await first.close()
    const second = await durableOf(store(), plans)
    await untilTag(second, "AwaitingApproval")
    await second.approve("o/5")
    await untilTag(second, "Completed")
    const branch = ["done", "read"]
    expect(JSON.parse((await untilTag(second, "Completed")).content)).toEqual([[branch, branch], "done"])
  })

  it("is cancelled where its outer call does not run again", async () => {
    const plans = {
      outer: pipeline().andThen(
        handler("outer", async ({ call }) => Step.Output((await call("gated")).content), { retry: "never" }),
      ),
      gated,
    }
    const first = await durableOf(store(), plans)
    await first.enqueue([{ callId: "o", name: "outer" }])
    await untilTag(first, "AwaitingApproval")
    await first.close()
    const second = await durableOf(store(), plans)
    const ended = [await second.executor.next(), await second.executor.next()]
    expect(ended).toMatchObject([
      { _tag: "Error", callId: "o", content: expect.stringContaining("Interrupted") },
      { _tag: "Cancelled", callId: "o/1", content: expect.stringContaining("The outer call ended") },
    ])
    expect(await second.inbox()).toEqual([])
  })

  it("is kept past the retention as long as its outer call is open", async () => {
    const plans = {
      echo: pipeline().andThen(() => Step.Output("said")),
      gated,
      outer: outer(async (call) => [(await call("echo")).content, (await call("gated")).content]),
    }
    const first = await durableOf(store(), plans)
    await first.enqueue([{ callId: "o", name: "outer" }])
    await untilTag(first, "AwaitingApproval")
    await first.close()
    await new Promise((resolve) => setTimeout(resolve, 20))
    const second = await durableOf(store(), plans, { retention: 1 })
    await untilTag(second, "AwaitingApproval")
    await second.approve("o/2")
    await untilTag(second, "Completed")
    expect(await untilTag(second, "Completed")).toMatchObject({ callId: "o", content: '["said","done"]' })
    expect(await second.result("o/1")).toMatchObject({ content: "said" })
  })
})
