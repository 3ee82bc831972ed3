// @module-tag waits
/** Hosts that are written for an executor in memory, on one of a store. */
import { readFile, writeFile } from "node:fs/promises"
import { describe, expect, it, test } from "vitest"
import { openDurableExecutor } from "../../src/durable/index.ts"
import { HostEffectQueue } from "../../src/hosts/effect-queue.ts"
import { SubAgents } from "../../src/hosts/sub-agents/index.ts"
import { editFileTool, listAgentsTool, spawnAgentTool } from "../../src/impls/index.ts"
import { noIde, pipeline, Step, type Tool, ToolRegistry } from "../../src/index.ts"
import { openEditor } from "../hosts/nvim/editor.ts"
import { SessionTerminal } from "../hosts/terminal/session-terminal.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { usePostgres } from "../servers/postgres.ts"
import { deferred } from "../support/deferred.ts"
import { toolOf } from "../support/executor-of.ts"
import { describeWith } from "../support/needs.ts"
import { durableOf, untilTag } from "./durable-of.ts"

const path = useTempFolder()
const gated = pipeline()
  .awaitApproval()
  .andThen(() => Step.Output("acted"))

const edit = (callId: string, agentId: string, path: string) => ({
  callId,
  agentId,
  name: "edit_file",
  params: { path, edits: [{ old_string: "one", new_string: "two" }] },
})

it("a HostEffectQueue shows one question at a time, also those that the process before was asked", async () => {
  await Promise.all(["a.txt", "b.txt"].map((name) => writeFile(path(name), "one\n")))
  const open = () =>
    openDurableExecutor({
      store: path("calls.db"),
      registry: new ToolRegistry([editFileTool]),
      cwd: path(),
      delegateTimeout: "Infinity",
    })
  const first = await open()
  const asked: Array<string> = []
  const before = new HostEffectQueue()
  await first.enqueue([edit("a", "one", "a.txt"), edit("b", "two", "b.txt")])
  for await (const event of first.executor.events) {
    before.push(event)
    for (let question = before.take(); question !== undefined; question = before.take()) {
      asked.push(`${question.callId} ${question._tag === "Delegate" ? question.effect._tag : "gate"}`)
      if (question._tag === "Delegate") question.succeed()
    }
    // The other one's preview waits for this one's.
    if (before.approval !== undefined && before.size > 1) break
  }
  const previews = asked.filter((what) => what.endsWith("IdeShowDiffPreview"))
  expect(previews).toHaveLength(1)
  expect(asked.at(-1)).toBe(`${previews[0]![0]} gate`)
  await first.close()

  await using second = await open()
  const after = new HostEffectQueue()
  const gates: Array<string> = []
  for (let event = await second.executor.next(); event !== undefined; event = await second.executor.next()) {
    after.push(event)
    for (let question = after.take(); question !== undefined; question = after.take()) {
      if (question._tag === "Delegate") question.succeed()
      else {
        gates.push(question.callId)
        question.approve()
      }
    }
  }
  expect(gates.sort()).toEqual(["a", "b"])
  expect(after.size).toBe(0)
  for (const name of ["a.txt", "b.txt"]) expect(await readFile(path(name), "utf8")).toBe("two\n")
})

describe("sub-agents", () => {
  const tools = (): Array<Tool> => [spawnAgentTool, listAgentsTool, toolOf("gated", gated)]
  const open = async (onResult: (content: string) => void, answer: (callId: string) => boolean) => {
    const subAgents = new SubAgents(
      async (_task, { call }) => {
        const { content } = await call({ callId: "act", name: "gated" })
        onResult(content)
        return content
      },
      {
        tools: ["gated"],
        onEvent: (event) => {
          if (event._tag === "AwaitingApproval" && answer(event.callId)) event.approve()
        },
      },
    )
    const durable = await openDurableExecutor({
      store: path("calls.db"),
      registry: new ToolRegistry(tools()),
      delegates: { ...noIde, ...subAgents.delegates },
    })
    subAgents.attach(durable.executor)
    return { subAgents, durable }
  }

  it("run their calls on a store", async () => {
    const { durable, subAgents } = await open(
      () => undefined,
      () => true,
    )
    await durable.executor.run({
      name: "spawn_agent",
      params: { task: "work", label: "one" },
      decision: "approve",
    })
    expect(await subAgents.wait("one")).toMatchObject({ status: "complete", message: "acted" })
    expect(await durable.result("act")).toMatchObject({ _tag: "Completed", content: "acted" })
    await durable.close()
  })

  it("end with their process; what they had called goes on with the next, and is asked there", async () => {
    const asked = deferred()
    const results: Array<string> = []
    const { durable, subAgents } = await open(
      (content) => results.push(content),
      () => {
        asked.resolve()
        return false
      },
    )
    await durable.executor.run({
      name: "spawn_agent",
      params: { task: "work", label: "one" },
      decision: "approve",
    })
    await asked.promise
    const { agentId } = subAgents.get("one")!
    await durable.close()
    expect(await subAgents.wait("one")).toMatchObject({ status: "cancelled" })
    expect(results).toEqual([])
    const next = await durableOf(path("calls.db"), { gated })
    expect(await untilTag(next, "AwaitingApproval")).toMatchObject({ callId: "act", agentId })
    expect(await next.approve("act")).toBe(true)
    expect(await untilTag(next, "Completed")).toMatchObject({ callId: "act", content: "acted" })
  })
})

it("a session in this process shows what the one before has left", async () => {
  const open = () => durableOf(path("calls.db"), { gated })
  const first = await open()
  await first.enqueue([
    { callId: "1", name: "gated", params: { what: "first" } },
    { callId: "2", name: "gated", params: { what: "second" } },
  ])
  await untilTag(first, "AwaitingApproval")
  await first.close()
  const second = await open()
  const options = { executor: second.executor, ...(await second.callNumbers()) }
  await using terminal = new SessionTerminal({ ...options, farewell: () => "They wait." })
  const keys = String.raw`\)\n +\[y\]es`
  await terminal.see(new RegExp(`first${keys}`))
  await terminal.see("gated(second) queued")
  terminal.type("y")
  await terminal.see(new RegExp(`second${keys}`))
  terminal.type("y")
  await terminal.see("✓ gated(second)")
  terminal.enter('gated {"what": "third"}')
  await terminal.see(new RegExp(`third${keys}`))
  expect(second.executor.inspect().map(({ callId }) => callId)).toEqual(["3"])
  await terminal.session.leave()
  await terminal.ended
  expect(terminal.everything()).toContain("They wait.")
})

describeWith("postgres")("sessions in several processes", () => {
  const server = usePostgres()

  it("give their calls ids that differ", async () => {
    const store = await server.database()
    const ids: Array<string> = []
    const begin = async () => {
      const durable = await durableOf(store, { gated })
      const { executor } = durable
      executor.watch({ queued: ({ callId }) => ids.push(callId) })
      return new SessionTerminal({ executor, ...(await durable.callNumbers()) })
    }
    await using one = await begin()
    await using other = await begin()
    for (const terminal of [one, other, one]) terminal.enter("gated {}")
    await expect.poll(() => ids).toHaveLength(3)
    expect(ids.map((id) => id.replace(/^\d+-/, "")).sort()).toEqual(["1", "1", "2"])
    expect(new Set(ids).size).toBe(3)
  })
})

describeWith("nvim")("Neovim", () => {
  test("shows a diff until the next process has written it, and takes the new text", async () => {
    const { nvim, host, folder, file } = await openEditor()
    const target = await file("a.txt", "one\n")
    await nvim.edit(target)
    const open = () =>
      openDurableExecutor({
        store: path("calls.db"),
        registry: new ToolRegistry([editFileTool]),
        cwd: folder,
        delegates: host.delegates,
      })
    const first = await open()
    await first.enqueue([edit("e", "main", "a.txt")])
    await untilTag(first, "AwaitingApproval")
    const shown = async () => (await nvim.screen()).windows.map(({ lines }) => lines)
    expect(await shown()).toEqual([["one"], ["two"]])
    await first.close()
    await using second = await open()
    await untilTag(second, "AwaitingApproval")
    expect(await shown()).toEqual([["one"], ["two"]])
    expect(await second.approve("e")).toBe(true)
    expect((await untilTag(second, "Completed")).cleanupErrors).toBeUndefined()
    expect(await readFile(target, "utf8")).toBe("two\n")
    expect(await shown()).toEqual([["two"]])
  })
})
