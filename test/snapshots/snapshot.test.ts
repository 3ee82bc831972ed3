// @module-tag waits
import { execFile } from "node:child_process"
import { readFile, writeFile } from "node:fs/promises"
import { promisify } from "node:util"
import { describe, expect, it } from "vitest"
import { astEditTool, editFileTool } from "../../src/impls/index.ts"
import {
  type CallSnapshot,
  pipeline,
  Step,
  type ToolEvent,
  ToolExecutor,
  ToolRegistry,
} from "../../src/index.ts"
import { useTempFolder } from "../io/temp-folder.ts"
import { never } from "../support/deferred.ts"
import { executorOf } from "../support/executor-of.ts"
import { compileScript } from "../support/run-script.ts"
import { virtualTime } from "../support/virtual-time.ts"

const path = useTempFolder()

/** Restores in a process of its own. Gives the events that it told. */
const inSecondProcess = async (
  way: "approve" | "deny" | "apply" | "discard",
  ...snapshots: ReadonlyArray<CallSnapshot>
): Promise<Array<ToolEvent>> => {
  const args = [await compileScript("test/pipeline/call/restoring-process.ts"), path(), way]
  const running = promisify(execFile)(process.execPath, args)
  running.child.stdin!.end(JSON.stringify(snapshots))
  return JSON.parse((await running).stdout) as Array<ToolEvent>
}

const until = async (executor: ToolExecutor, tag: ToolEvent["_tag"]): Promise<ToolEvent> => {
  for (;;) {
    const event = await executor.next()
    if (event === undefined) throw new Error(`No ${tag} came`)
    if (event._tag === "Delegate") event.succeed()
    if (event._tag === tag) return event
  }
}

const tags = (events: ReadonlyArray<ToolEvent>) => events.map((event) => event._tag)

describe("a call that waits at its gate goes on in another process", () => {
  const begin = async () => {
    await writeFile(path("a.txt"), "one\n")
    const executor = new ToolExecutor(new ToolRegistry([editFileTool]), { cwd: path() })
    const params = { path: "a.txt", edits: [{ old_string: "one", new_string: "two" }] }
    executor.enqueue([{ callId: "c", name: "edit_file", params }])
    const asked = await until(executor, "AwaitingApproval")
    return { snapshot: executor.snapshot("c"), asked }
  }

  it("where it is asked again, and what ran before does not run again", async () => {
    const { snapshot, asked } = await begin()
    expect(JSON.parse(JSON.stringify(snapshot))).toEqual(snapshot)
    const events = await inSecondProcess("approve", snapshot)
    expect(tags(events)).toEqual(["AwaitingApproval", "Delegate", "Delegate", "Completed"])
    const { name, params, preview } = asked as Extract<ToolEvent, { _tag: "AwaitingApproval" }>
    expect(events[0]).toMatchObject({ callId: "c", name, params, preview })
    expect(events.at(-1)).toMatchObject({ content: "Successfully applied 1 edit(s) to a.txt" })
    expect(await readFile(path("a.txt"), "utf8")).toBe("two\n")
  })

  it("where its denial cleans up", async () => {
    const { snapshot } = await begin()
    expect(tags(await inSecondProcess("deny", snapshot))).toEqual(["AwaitingApproval", "Delegate", "Denied"])
    expect(await readFile(path("a.txt"), "utf8")).toBe("one\n")
  })

  it("where what the first process showed still binds: a file that changed meanwhile is not written", async () => {
    const { snapshot } = await begin()
    await writeFile(path("a.txt"), "one, and more\n")
    const events = await inSecondProcess("approve", snapshot)
    expect(events.at(-1)).toMatchObject({
      _tag: "Error",
      content: "a.txt has changed since the edit was previewed. Nothing was written. Read the file again.",
    })
  })
})

describe("a staged action goes on in another process", () => {
  const begin = async () => {
    await writeFile(path("a.ts"), "foo(1)\n")
    const executor = new ToolExecutor(new ToolRegistry([astEditTool]), { cwd: path() })
    const ops = [{ pattern: "foo($A)", replacement: "bar($A)" }]
    const result = await executor.run({ callId: "s", name: "ast_edit", params: { ops, paths: ["."] } })
    expect(result).toMatchObject({ status: "complete" })
    return executor.snapshot("s")
  }

  it("and is applied there", async () => {
    const events = await inSecondProcess("apply", await begin())
    expect(tags(events)).toEqual(["Started", "AwaitingApproval", "ActionResolved", "Completed"])
    expect(await readFile(path("a.ts"), "utf8")).toBe("bar(1)\n")
  })

  it("and is discarded there", async () => {
    const events = await inSecondProcess("discard", await begin())
    expect(events.at(-2)).toMatchObject({ _tag: "ActionResolved", outcome: "discarded" })
    expect(await readFile(path("a.ts"), "utf8")).toBe("foo(1)\n")
  })
})

describe("a snapshot", () => {
  const gated = () =>
    pipeline()
      .andThen(({ memory }) => {
        memory.seen = 1
        return Step.Output("preview")
      })
      .awaitApproval({ label: "Go on?" })
      .andThen(({ memory, resolution }) => Step.Output(`${memory.seen} ${resolution?.reason}`))
      .finally(function cleanUp() {
        return Step.Delta("clean")
      })

  it("of calls that are queued and held runs them in their order", async () => {
    const first = executorOf({ tool: gated() })
    first.enqueue([
      { callId: "a", name: "tool" },
      { callId: "b", name: "tool", decision: "requested" },
      { callId: "c", name: "tool", decision: "approve" },
    ])
    await until(first, "AwaitingApproval")
    const snapshots = ["a", "b", "c"].map((id) => first.snapshot(id))
    expect(snapshots.map(({ state }) => state._tag)).toEqual(["Asking", "Queued", "Queued"])
    const second = executorOf({ tool: gated() })
    expect(snapshots.map((snapshot) => second.restore(snapshot))).toEqual(["a", "b", "c"])
    await until(second, "AwaitingApproval")
    expect(second.approve("a", { reason: "yes" })).toBe(true)
    expect(await until(second, "Completed")).toMatchObject({ callId: "a", content: "1 yes" })
    expect(second.inspect()).toMatchObject([
      { callId: "b", state: "held" },
      { callId: "c", state: "queued" },
    ])
    expect(second.approve("b")).toBe(true)
    expect(await until(second, "Completed")).toMatchObject({ callId: "b" })
    expect(await until(second, "Completed")).toMatchObject({ callId: "c", content: "1 undefined" })
  })

  it("that is restored and cancelled before its turn is still cleaned up", async () => {
    const first = executorOf({ tool: gated() })
    first.enqueue([{ callId: "c", name: "tool" }])
    await until(first, "AwaitingApproval")
    const second = executorOf({ tool: gated() })
    second.restore(first.snapshot("c"))
    expect(second.cancelCall("c")).toBe(true)
    expect(await second.next()).toMatchObject({ _tag: "Delta", content: "clean" })
    expect(await second.next()).toMatchObject({ _tag: "Cancelled", callId: "c" })
  })

  it("of a background task keeps its task", async () => {
    const tool = () =>
      pipeline()
        .awaitApproval()
        .andThen(() => Step.Delegate({ _tag: "Ask" }))
        .awaitApproval()
    const first = executorOf({ tool: tool() })
    first.enqueue([{ callId: "t", name: "tool", background: true }])
    await until(first, "AwaitingApproval")
    first.approve("t")
    await until(first, "AwaitingApproval")
    const second = executorOf({ tool: tool() })
    second.restore(first.snapshot("t"))
    expect(second.tasks.get("t")).toMatchObject({ id: "t", name: "tool" })
    await until(second, "AwaitingApproval")
    second.approve("t")
    expect(await until(second, "BackgroundCompleted")).toMatchObject({ status: "complete" })
  })

  it("of a `resolve` at a gate of the action that it applies goes on with the action", async () => {
    const tool = () =>
      pipeline()
        .awaitResolve({ label: "Change" })
        .awaitApproval({ label: "Sure?" })
        .andThen(() => Step.Output("changed"))
    const first = executorOf({ tool: tool() })
    await first.run({ callId: "s", name: "tool" })
    first.enqueue([{ callId: "r", name: "resolve", params: { action: "apply", reason: "so" } }])
    await until(first, "AwaitingApproval")
    const second = executorOf({ tool: tool() })
    second.restore(first.snapshot("r"))
    expect(second.agent().pendingActions.hasPending).toBe(false)
    await until(second, "AwaitingApproval")
    second.approve("r")
    expect(await until(second, "Completed")).toMatchObject({ callId: "r", content: "changed" })
    expect(second.agent().pendingActions.hasPending).toBe(false)
  })

  it("of a `resolve` whose action puts nothing out says that it was applied, and not the preview again", async () => {
    const tool = () =>
      pipeline()
        .andThen(() => Step.Output("the preview"))
        .awaitResolve({ label: "Change" })
        .awaitApproval()
        .andThen(() => Step.Continue)
    const first = executorOf({ tool: tool() })
    await first.run({ name: "tool" })
    first.enqueue([{ callId: "r", name: "resolve", params: { action: "apply", reason: "so" } }])
    expect(await until(first, "AwaitingApproval")).toMatchObject({
      preview: { content: [{ text: "the preview" }] },
    })
    const second = executorOf({ tool: tool() })
    second.restore(JSON.parse(JSON.stringify(first.snapshot("r"))))
    const gate = await until(second, "AwaitingApproval")
    expect(gate).toMatchObject({ preview: { content: [{ text: "the preview" }] } })
    second.approve("r")
    expect(await until(second, "Completed")).toMatchObject({ content: "Applied: Change. Reason: so" })
  })

  it("of a gate that is answered, as of all else that runs, is refused with the reason", async () => {
    const executor = executorOf({
      tool: pipeline().andThen(function work() {
        return never()
      }),
    })
    executor.enqueue([{ callId: "c", name: "tool" }])
    await until(executor, "Started")
    expect(() => executor.snapshot("c")).toThrow(
      'Call "c" is not at rest: it can be written down while it is queued or waits',
    )
    expect(() => executor.snapshot("x")).toThrow(
      'There is no call "x" that is active, and no action that it staged',
    )
    const actionId = executor.agent().pendingActions.push({ label: "Pushed", apply: () => "x" })
    expect(() => executor.snapshot(actionId)).toThrow(
      `"${actionId}" cannot be written down: the action "Pushed" was pushed with functions, which are no data`,
    )
  })

  it("of a gate without a time limit leaves it without one, whatever other gates have", async () => {
    const plans = { plan: pipeline().awaitApproval({ timeout: Number.POSITIVE_INFINITY }) }
    const first = executorOf(plans)
    first.enqueue([{ callId: "c", name: "plan" }])
    await until(first, "AwaitingApproval")
    const snapshot = JSON.parse(JSON.stringify(first.snapshot("c")))
    const { executor, advance } = await virtualTime(plans, { approvalTimeout: "1 minute" })
    executor.restore(snapshot)
    await until(executor, "AwaitingApproval")
    await advance("2 minutes")
    expect(executor.inspect()).toMatchObject([{ callId: "c", waitingFor: "approval" }])
  })

  it("of a tool that is gone, or has another shape now, is refused with what to do", async () => {
    const first = executorOf({ tool: gated() })
    first.enqueue([{ callId: "c", name: "tool" }])
    await until(first, "AwaitingApproval")
    const snapshot = first.snapshot("c")
    expect(() => executorOf({}).restore(snapshot)).toThrow(
      'Cannot restore "c": there is no tool "tool" any more. Register it first',
    )
    expect(() => executorOf({ tool: pipeline().awaitApproval() }).restore(snapshot)).toThrow(
      'Cannot restore "c": the pipeline of tool "tool" has another shape than when the call was written down. Run the call anew',
    )
    expect(() => first.restore(snapshot)).toThrow('Cannot restore "c": the id is in use')
    // Nobody could answer it.
    const asking = { ...snapshot, state: { _tag: "Asking", question: {} } } as never
    expect(() => executorOf({ tool: gated() }).restore(asking)).toThrow("this is no snapshot of a call")
  })

  it("of version 1 of a call that restarts keeps what was told and decided", async () => {
    const params = { text: "edited" }
    const call = { agentId: "main", callId: "c", name: "tool", params, decision: "pending", background: true }
    const again = { decided: 1, announced: true, cleanupErrors: ["cleanUp: failed"] }
    const executor = executorOf({ tool: gated() })
    executor.restore({ version: 1, state: "queued", call, edited: true, again } as never)
    expect(executor.tasks.get("c")).toMatchObject({ id: "c", params })
    expect(await executor.next()).toMatchObject({ _tag: "Delta", content: "clean" })
    expect(await executor.next()).toMatchObject({ _tag: "BackgroundCompleted", status: "complete" })
    expect(executor.tasks.get("c")).toMatchObject({ content: "1 undefined" })
  })

  it("that is none is refused", () => {
    const executor = executorOf({ tool: gated() })
    for (const nonsense of [
      undefined,
      null,
      1,
      {},
      { state: "waiting", call: {} },
      { version: 1, state: "waiting", call: {} },
      { version: 2, state: {}, call: {} },
      [],
    ]) {
      expect(() => executor.restore(nonsense as never)).toThrow()
    }
    const newer = {
      version: 3,
      state: { _tag: "Queued" },
      call: { name: "tool", callId: "c", agentId: "main" },
    }
    expect(() => executor.restore(newer as never)).toThrow(
      "This snapshot has version 3, and versions 1 and 2 are read: use the stepline that wrote it",
    )
  })
})
