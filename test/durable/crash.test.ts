// @module-tag waits
import { readFile, writeFile } from "node:fs/promises"
import { describe, expect, it } from "vitest"
import { handler, pipeline, Step } from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { isAlive } from "../support/is-alive.ts"
import { durableOf } from "./durable-of.ts"
import { ranIn, tag, tags, useHosts } from "./hosts.ts"

const path = useTempFolder()
const { run: runHost, dies } = useHosts()

const edit = {
  callId: "edit",
  name: "edit_file",
  params: { path: "a.txt", edits: [{ old_string: "one", new_string: "two" }] },
}

describe("a host that is killed loses nothing:", () => {
  it("edit_file at its gate is asked again, and writes once it is approved", async () => {
    await writeFile(path("a.txt"), "one\n")
    const before = await runHost(path(), { calls: [edit] }, tag("AwaitingApproval"))
    expect(tags(before)).toEqual(["Opened", "Started", "Delegate", "Delegate", "AwaitingApproval"])
    expect(await readFile(path("a.txt"), "utf8")).toBe("one\n")
    const after = await runHost(path(), { decide: "approve" })
    expect(tags(after)).toEqual(["Opened", "AwaitingApproval", "Delegate", "Delegate", "Completed", "Idle"])
    expect(after[1]).toMatchObject({ callId: "edit", preview: before.at(-1)!.preview })
    expect(await readFile(path("a.txt"), "utf8")).toBe("two\n")
  })

  it("the effect that a call waits for is asked again", async () => {
    await runHost(path(), { calls: [{ callId: "c", name: "ask" }], answers: false }, tag("Delegate"))
    const after = await runHost(path(), {})
    expect(tags(after)).toEqual(["Opened", "Delegate", "Completed", "Idle"])
    expect(after[1]).toMatchObject({ callId: "c", effect: { _tag: "Ask", what: "else" } })
    expect(after[2]).toMatchObject({ content: "answeredanswered;" })
  })

  it("what ast_edit has staged is applied by the next host, and asked about again by the one after", async () => {
    await writeFile(path("a.ts"), "foo(1)\n")
    const ops = [{ pattern: "foo($A)", replacement: "bar($A)" }]
    const call = { callId: "s", name: "ast_edit", params: { ops, paths: ["."] } }
    const before = await runHost(path(), { calls: [call] }, tag("Completed"))
    const { staged } = before.at(-1)! as unknown as { staged: { actionId: string } }
    const asked = await runHost(path(), { resolve: "apply" }, tag("AwaitingApproval"))
    expect(asked[0]).toMatchObject({ pending: [{ actionId: staged.actionId, sourceToolName: "ast_edit" }] })
    expect(tags(asked)).toEqual(["Opened", "ActionPending", "Started", "AwaitingApproval"])
    const gate = {
      name: "ast_edit",
      preview: { content: [{ text: expect.stringContaining("-foo(1)\n+bar(1)\n") }] },
    }
    expect(asked[3]).toMatchObject(gate)
    expect(await readFile(path("a.ts"), "utf8")).toBe("foo(1)\n")
    const after = await runHost(path(), { decide: "approve" })
    const rest = ["AwaitingApproval", "ActionResolved", "Completed", "Idle"]
    expect(tags(after)).toEqual(["Opened", "ActionPending", ...rest])
    expect(after[2]).toMatchObject(gate)
    expect(after[3]).toMatchObject({ actionId: staged.actionId, outcome: "applied" })
    expect(await readFile(path("a.ts"), "utf8")).toBe("bar(1)\n")
    expect((await runHost(path(), {}))[0]).toMatchObject({ pending: [] })
  })

  it("a command in the background keeps its id, and is not run again: it may have run", async () => {
    const command = "echo $$ > pid.txt; echo started; sleep 600"
    const call = {
      callId: "task",
      name: "shell",
      params: { command },
      background: true,
      decision: "approve",
    } as const
    await runHost(path(), { calls: [call] }, tag("Delta"))
    const pid = Number(await readFile(path("pid.txt"), "utf8"))
    const after = await runHost(path(), {})
    expect(after[0]).toMatchObject({ tasks: [{ id: "task", name: "shell" }] })
    expect(tags(after)).toEqual(["Opened", "BackgroundCompleted", "Idle"])
    expect(after[1]).toMatchObject({ callId: "task", status: "error" })
    const content =
      "Interrupted: the process ended while Shell ran. It may have run, wholly or in part: look before you call it again."
    expect(after[2]).toMatchObject({ tasks: [{ id: "task", status: "error", content }] })
    // Its result is kept until it is taken.
    expect((await runHost(path(), {}))[0]).toMatchObject({ tasks: [{ id: "task", content }] })
    await expect.poll(() => isAlive(pid)).toBe(false)
  })

  it("calls that are queued and held run in their order", async () => {
    const calls = [
      { callId: "a", name: "work" },
      { callId: "b", name: "work", decision: "approve" },
      { callId: "c", name: "work", decision: "deny" },
    ] as const
    await runHost(path(), { calls }, tag("AwaitingApproval"))
    const after = await runHost(path(), { decide: "approve", calls })
    const ends = after.filter(({ _tag }) => _tag === "Completed" || _tag === "Denied")
    expect(ends.map(({ callId }) => callId)).toEqual(["a", "b", "c"])
    expect(await ranIn(path())).toEqual([
      "a first a/0/0",
      "a second a/0/2",
      "a last a/0/finally 0",
      "b first b/0/0",
      "b second b/0/2",
      "b last b/0/finally 0",
    ])
  })

  it("a handler in flight runs again with the same key, and those before it do not", async () => {
    const calls = [
      { callId: "h", name: "hang" },
      { callId: "x", agentId: "other", name: "work" },
    ]
    // Of two calls that go on side by side: the other's question says how far this one is.
    await runHost(path(), { calls }, tag("AwaitingApproval"))
    await runHost(path(), {}, tag("AwaitingApproval"))
    expect((await ranIn(path())).filter((line) => line.startsWith("h "))).toEqual([
      "h began h/0/0",
      "h hang h/0/1",
      "h hang h/0/1",
    ])
  })

  it("a call whose first handler was in flight is cleaned up, though it is cancelled before that runs again", async () => {
    const calls = [{ callId: "l", name: "lock" }]
    expect(await dies(path(), { calls })).toBe(true)
    expect(await ranIn(path())).toEqual(["l lock"])
    const cleaned: Array<string> = []
    const lock = pipeline()
      .andThen(handler("lock", () => Step.Output("not again")))
      .finally(
        handler("last", ({ call }) => {
          cleaned.push(call.callId)
          return Step.Continue
        }),
      )
    const durable = await durableOf(path("calls.db"), { lock })
    expect(await durable.cancel("l", "no more")).toBe(true)
    await expect.poll(() => durable.result("l")).toMatchObject({ _tag: "Cancelled" })
    expect(cleaned).toEqual(["l"])
  })
})
