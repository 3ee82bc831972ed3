import { describe, expect, it } from "vitest"
import type { ToolExecutor } from "../../src/index.ts"
import { ScriptedHost } from "../../src/testing.ts"
import { extension, registering, returning, tool, useCustomTools } from "./project-and-home.ts"

const { load } = useCustomTools()

describe("a call of a loaded tool", () => {
  const slow = { "project/.omp/tools/slow.ts": returning(tool("slow", "await new Promise(() => {})")) }
  const run = (executor: ToolExecutor, script?: ConstructorParameters<typeof ScriptedHost>[1]) =>
    new ScriptedHost(executor, script).run([{ callId: "c", name: "slow", params: {} }])

  it("waits for approval, unless it only reads", async () => {
    const { executor } = await load(
      {
        "project/.omp/tools/a.ts": returning(
          tool("acts", `return "acted"`),
          tool("reads", `return "read"`, "annotations: { readOnlyHint: true },"),
        ),
      },
      { host: { approval: undefined } },
    )
    const tagsOf = async (name: string, gate: "approve" | "deny") => {
      const events = await new ScriptedHost(executor, { gate }).run([{ name, params: {} }])
      return events.map(({ _tag }) => _tag)
    }
    expect(await tagsOf("acts", "approve")).toEqual(["Started", "AwaitingApproval", "Completed"])
    expect(await tagsOf("acts", "deny")).toEqual(["Started", "AwaitingApproval", "Denied"])
    expect(await tagsOf("reads", "deny")).toEqual(["Started", "Completed"])
  })

  it("ends at a cancel, whatever the tool does with its signal", async () => {
    const { executor } = await load(slow)
    const onEvent = () => void queueMicrotask(() => executor.cancel())
    const events = await run(executor, { onEvent })
    expect(events.map(({ _tag }) => _tag)).toEqual(["Started", "Cancelled"])
  })

  it("ends at its time-out", async () => {
    const { executor } = await load(slow, { executor: { callTimeout: 50 } })
    expect((await run(executor)).at(-1)).toMatchObject({ _tag: "Error", reason: "timeout" })
  })

  it("runs in the background as a task", async () => {
    const { executor } = await load({ "project/.omp/tools/a.ts": returning(tool("a")) })
    const events = await new ScriptedHost(executor).run([
      { callId: "c", name: "a", params: {}, background: true },
    ])
    expect(events.at(-1)).toMatchObject({ _tag: "BackgroundCompleted", status: "complete" })
    expect(executor.tasks.take("c")).toMatchObject({ content: "a" })
  })

  it("streams partial results", async () => {
    const { executor } = await load({
      "project/.pi/extensions/a.ts": extension(
        registering(
          "slow",
          `onUpdate({ content: [{ type: "text", text: "half" }], details: { at: 50 } }); return "all"`,
        ),
      ),
    })
    expect(await run(executor)).toMatchObject([
      { _tag: "Started" },
      { _tag: "Delta", content: "half", partial: { details: { at: 50 } } },
      { _tag: "Completed", content: "all" },
    ])
  })
})
