import { Type } from "@sinclair/typebox"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { type ExtensionRunner, noOpUI, type UIContext } from "../../../src/custom-tools/index.ts"
import { defineTool, pipeline, Step, type ToolCall, ToolExecutor, ToolRegistry } from "../../../src/index.ts"
import { loadSources } from "./load-sources.ts"

const echo = defineTool({
  name: "echo",
  description: "Answers with its text.",
  parameters: Type.Object({ text: Type.String(), tags: Type.Optional(Type.Array(Type.String())) }),
  compose: ({ text, tags = [] }) =>
    pipeline().andThen(() => {
      if (text === "fail") return Step.Error("it failed")
      return Step.Output({ content: [{ type: "text", text: [text, ...tags].join(" ") }], details: { text } })
    }),
})

/** An executor whose agents the runner knows. */
const executorOf = (runner: ExtensionRunner): ToolExecutor => {
  const executor = new ToolExecutor(new ToolRegistry([echo]), { hooks: runner.hooks })
  runner.attach({
    activeTools: () => [],
    allTools: () => [],
    setActiveTools: () => undefined,
    registerTool: () => undefined,
    callingAgent: (agentId) => ({
      agentId,
      pendingActions: executor.agent(agentId).pendingActions,
      definitions: () => executor.agent(agentId).definitions(),
      cancel: (reason) => executor.cancel({ agentId, ...(reason !== undefined && { reason }) }),
    }),
  })
  return executor
}

const runWith = async (bodies: ReadonlyArray<string>, params: unknown = { text: "hello" }) => {
  const loaded = await loadSources(bodies)
  const result = await executorOf(loaded.runner).run({ name: "echo", callId: "c1", params })
  return { ...loaded, result }
}

const onCall = (body: string) => `pi.on("tool_call", async (event, ctx) => { ${body} })`
const onResult = (body: string) => `pi.on("tool_result", async (event, ctx) => { ${body} })`

describe("tool_call", () => {
  it("tells listeners of the call", async () => {
    const { entries } = await runWith([onCall(`pi.appendEntry("heard", event)`)])
    expect(entries).toEqual([
      ["heard", { type: "tool_call", toolCallId: "c1", toolName: "echo", input: { text: "hello" } }],
    ])
  })

  it("blocks with the reason, and tells no later listener", async () => {
    const { result, entries } = await runWith([
      onCall(`return { block: true, reason: "not on Sundays" }`),
      onCall(`pi.appendEntry("heard")`),
    ])
    expect(result).toMatchObject({ status: "denied", content: "not on Sundays" })
    expect(entries).toEqual([])
  })

  it("blocks without a reason too", async () => {
    const { result } = await runWith([onCall(`return { block: true }`)])
    expect(result).toMatchObject({ status: "denied", content: "Blocked by an extension, without a reason" })
  })

  it("runs the call with what listeners change, each seeing the change before it", async () => {
    const { result } = await runWith([
      onCall(`event.input.text += "!"; (event.input.tags ??= []).push("a")`),
      onCall(`return { input: { ...event.input, text: event.input.text + "?" } }`),
      onCall(`event.input.tags.push("b")`),
    ])
    expect(result).toMatchObject({ status: "complete", content: "hello!? a b" })
  })

  it("never changes what the host passed", async () => {
    const params = { text: "hello", tags: ["a"] }
    await runWith([onCall(`event.input.tags.push("b"); event.input.text = ""`)], params)
    expect(params).toEqual({ text: "hello", tags: ["a"] })
  })

  it("has changed arguments validated again", async () => {
    const { result } = await runWith([onCall(`delete event.input.text`)])
    expect(result.status).toBe("error")
    expect(result.content).toMatch(/^Validation failed for tool "echo":/)
  })

  it.each(["undefined", "null", "[]", "'text'"])(
    "keeps the arguments as they were where a listener puts %s in their place",
    async (value) => {
      const { result, warnings } = await runWith([
        onCall(`event.input.text += "!"; event.input = ${value}`),
        onCall(`event.input.text += "?"`),
      ])
      expect(result).toMatchObject({ status: "complete", content: "hello!?" })
      expect(warnings).toEqual(["Ignored what a tool_call listener put in place of `input`: it is no object"])
    },
  )

  it("reports parameters only where they differ", async () => {
    const { runner } = await loadSources([onCall(`event.input.text = event.input.text`)])
    const call = { callId: "c", agentId: "main", name: "echo", params: { text: "x" } } as ToolCall
    const { signal } = new AbortController()
    await expect(runner.hooks.beforeCall?.(call, { signal })).resolves.toBeUndefined()
  })

  it("blocks the call when a listener throws", async () => {
    const { result, warnings } = await runWith([onCall(`throw new Error("cannot tell")`)])
    expect(result).toMatchObject({ status: "denied", content: "cannot tell" })
    expect(warnings).toEqual(["A tool_call listener failed, and so blocked a call of echo: cannot tell"])
  })

  it("ignores malformed answers with a warning", async () => {
    const { result, warnings } = await runWith([
      onCall(`return "block"`),
      onCall(`return [1]`),
      onCall(`return { input: "text" }`),
      onCall(`return { unknown: 1 }`),
    ])
    expect(result.content).toBe("hello")
    expect(warnings).toEqual([
      "Ignored the answer of a listener: string",
      "Ignored the answer of a listener: an array",
      "Ignored the answer of a tool_call listener: its `input` is no object",
    ])
  })

  it("acts for the calling agent, and its signal tells of a cancel", async () => {
    const { runner, entries } = await loadSources([
      onCall(`pi.appendEntry("idle", ctx.isIdle())
              ctx.signal.addEventListener("abort", () => pi.appendEntry("aborted"))
              ctx.abort()
              await new Promise(() => {})`),
    ])
    const executor = executorOf(runner)
    const result = await executor.run({ name: "echo", params: { text: "x" }, agentId: "sub" })
    expect(result.status).toBe("cancelled")
    expect(entries).toEqual([
      ["idle", false],
      ["aborted", undefined],
    ])
  })
})

describe("tool_result", () => {
  it("tells listeners of the result", async () => {
    const { entries } = await runWith([onResult(`pi.appendEntry("heard", structuredClone(event))`)])
    expect(entries).toEqual([
      [
        "heard",
        {
          type: "tool_result",
          toolCallId: "c1",
          toolName: "echo",
          input: { text: "hello" },
          content: [{ type: "text", text: "hello" }],
          details: { text: "hello" },
          isError: false,
        },
      ],
    ])
  })

  it("lets listeners rewrite content and details in turn, and keeps what they leave out", async () => {
    const { result } = await runWith([
      onResult(`return { content: [...event.content, { type: "text", text: "more" }] }`),
      onResult(`return { details: { was: event.content.length } }`),
    ])
    expect(result).toMatchObject({
      status: "complete",
      content: "hello\nmore",
      output: { details: { was: 2 } },
    })
  })

  it("turns a success into a failure", async () => {
    const { result } = await runWith([onResult(`return { isError: true }`)])
    expect(result).toMatchObject({ status: "error", isError: true, content: "hello" })
  })

  it("turns a failure into a success", async () => {
    const { result } = await runWith(
      [
        onResult(
          `if (event.isError) return { isError: false, content: [{ type: "text", text: "well, " + event.content[0].text }] }`,
        ),
      ],
      { text: "fail" },
    )
    expect(result).toMatchObject({ status: "complete", isError: false, content: "well, it failed" })
  })

  it("leaves the result as it was where a listener throws or answers nonsense", async () => {
    const { result, warnings } = await runWith([
      onResult(`throw new Error("oops")`),
      onResult(`return { content: "text" }`),
      onResult(`event.content[0].text = "in place"`),
      onResult(`return 3`),
    ])
    expect(result).toMatchObject({ status: "complete", content: "hello" })
    expect(warnings).toEqual([
      "A tool_result listener failed: oops",
      "Ignored the `content` of a tool_result listener: it is no array of content blocks",
      "Ignored the answer of a listener: number",
    ])
  })
})

it("answers at once where nobody listens", async () => {
  const { runner } = await loadSources([`pi.on("turn_end", () => {})`])
  const call = { callId: "c", agentId: "main", name: "echo", params: {} } as ToolCall
  const { signal } = new AbortController()
  const result = { status: "complete", content: "", output: { content: [] }, isError: false } as const
  expect(runner.hooks.beforeCall?.(call, { signal })).toBeUndefined()
  expect(runner.hooks.afterCall?.(call, result, { signal })).toBeUndefined()
})

describe("a listener that does not settle", () => {
  const start = async (body: string, ui?: UIContext) => {
    const loaded = await loadSources([body], ui && { ui, hasUI: true })
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const result = executorOf(loaded.runner).run({ name: "echo", params: { text: "hello" } })
    return { ...loaded, result }
  }
  const late = "it did not settle within 30 s, and is no longer waited for"

  it("blocks its call after thirty seconds", async () => {
    const { result, entries, warnings } = await start(
      onCall(`pi.appendEntry("asked"); await new Promise(() => {})`),
    )
    await expect.poll(() => entries).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await result).toMatchObject({ status: "denied", content: late })
    expect(warnings).toEqual([`A tool_call listener failed, and so blocked a call of echo: ${late}`])
  })

  it("leaves the result as it was after thirty seconds", async () => {
    const { result, entries, warnings } = await start(
      onResult(`pi.appendEntry("asked"); await new Promise(() => {})`),
    )
    await expect.poll(() => entries).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(30_000)
    expect(await result).toMatchObject({ status: "complete", content: "hello" })
    expect(warnings).toEqual([`A tool_result listener failed: ${late}`])
  })

  it("has all the time that its user takes to answer, and its own behind that", async () => {
    let answer: (isConfirmed: boolean) => void = () => undefined
    let isAsked = false
    const ui: UIContext = {
      ...noOpUI,
      confirm: () => {
        isAsked = true
        return new Promise((settle) => {
          answer = settle
        })
      },
    }
    const { result, entries } = await start(
      onCall(`
        const ok = await ctx.ui.confirm("Sure?", "")
        pi.appendEntry("answered", ok)
        await new Promise((go) => setTimeout(go, 29_000))
        return { block: !ok, reason: "no" }`),
      ui,
    )
    await expect.poll(() => isAsked).toBe(true)
    await vi.advanceTimersByTimeAsync(600_000)
    expect(entries).toEqual([])
    answer(false)
    await expect.poll(() => entries).toEqual([["answered", false]])
    await vi.advanceTimersByTimeAsync(29_000)
    expect(await result).toMatchObject({ status: "denied", content: "no" })
  })
})
