import { Type } from "@sinclair/typebox"
import { describe, expect, it } from "vitest"
import { defineTool, pipeline, Step, type Tool, ToolFilters, type Tracer } from "../../../src/index.ts"
import { approve, connect, revisions, textOfResult } from "./connected.ts"

const greet = defineTool({
  name: "greet",
  label: "Greet",
  description: "Greets somebody.",
  parameters: Type.Object({ who: Type.String() }),
  annotations: { readOnly: true, openWorld: false },
  compose: ({ who }) => pipeline().andThen(() => Step.Output(`hello ${who}`)),
})

const send = defineTool({
  name: "send",
  label: "Send",
  description: "Sends a text.",
  parameters: Type.Object({ text: Type.String() }),
  primaryParam: "text",
  compose: ({ text }) =>
    pipeline()
      .andThen(() => Step.Output(`would send ${text}`))
      .awaitApproval({ label: "Send it" })
      .andThen(() => Step.Output(`sent ${text}`)),
})

const stage = defineTool({
  name: "stage",
  description: "Stages a change, about which its user is asked once it is applied.",
  parameters: Type.Object({}),
  compose: () =>
    pipeline()
      .andThen(() => Step.Output("would change"))
      .awaitResolve({ label: "Change it" })
      .awaitApproval()
      .andThen(() => Step.Output("changed")),
})

/** Waits until it is cancelled. */
const hanging = (began: () => void, ended: () => void): Tool =>
  defineTool({
    name: "hang",
    description: "Never ends.",
    parameters: Type.Object({}),
    compose: () =>
      pipeline()
        .andThen(async ({ signal }) => {
          began()
          await new Promise((resolve) => signal.addEventListener("abort", resolve))
          return Step.Continue
        })
        .finally(() => {
          ended()
          return Step.Continue
        }),
  })

describe.each(revisions)("an MCP server of revision %s", (revision) => {
  it("asks about the nested calls of a call, and gives its result", async () => {
    const both = defineTool({
      name: "both",
      description: "Sends two texts.",
      parameters: Type.Object({}),
      compose: () =>
        pipeline().andThen(async ({ call }) => {
          const first = await call("send", { text: "one" })
          const second = await call("send", { text: "two" })
          return Step.Output(`${first.content}, ${second.content}`)
        }),
    })
    const { client, asked } = await connect([both, send], {
      revision,
      answer: (message) => approve(message.includes("one") ? { params: '{"text":"edited"}' } : {}),
    })
    const result = await client.callTool({ name: "both", arguments: {} })
    expect(textOfResult(result as never)).toBe("sent edited, sent two")
    expect(asked).toHaveLength(2)
  })

  it("lists the tools with their title, their schemas and all four annotations", async () => {
    const area = defineTool({
      name: "area",
      description: "Computes an area.",
      parameters: Type.Object({ side: Type.Number() }),
      outputSchema: Type.Object({ area: Type.Number() }),
      compose: ({ side }) =>
        pipeline().andThen(() => Step.Output({ content: [], structured: { area: side * side } })),
    })
    const { client } = await connect([greet, area], { revision })
    const { tools } = await client.listTools()
    expect(tools).toMatchObject([
      {
        name: "greet",
        title: "Greet",
        description: "Greets somebody.",
        inputSchema: { type: "object", properties: { who: { type: "string" } }, required: ["who"] },
        annotations: {
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      },
      {
        name: "area",
        outputSchema: { type: "object", properties: { area: { type: "number" } } },
        annotations: {
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: true,
        },
      },
    ])
    expect(tools[1]!.inputSchema.properties).not.toHaveProperty("background")
    expect(client.getServerVersion()).toMatchObject({ name: "served", version: "1.2.3" })
  })

  it("runs a call, and tells what is wrong with one that cannot run", async () => {
    const { client } = await connect([greet], { revision })
    expect(await client.callTool({ name: "greet", arguments: { who: "anne" } })).toMatchObject({
      content: [{ type: "text", text: "hello anne" }],
    })
    const invalid = await client.callTool({ name: "greet", arguments: {} })
    expect(invalid.isError).toBe(true)
    expect(textOfResult(invalid)).toContain("Validation failed for tool")
    await expect(client.callTool({ name: "wave", arguments: {} })).rejects.toMatchObject({
      code: -32602,
      message: expect.stringContaining('Unknown tool "wave". Available tools: greet'),
    })
  })

  it("puts a gate to the client's user, who approves it", async () => {
    const { client, asked } = await connect([send], { revision, answer: () => approve() })
    const result = await client.callTool({ name: "send", arguments: { text: "hi\u202e" } })
    expect(textOfResult(result)).toBe("sent hi\u202e")
    expect(asked).toHaveLength(1)
    expect(asked[0]).toContain("May the tool Send (send) run?")
    expect(asked[0]).toContain("Send it")
    expect(asked[0]).toContain("What would happen:\n  would send hi⟦U+202E⟧")
  })

  it("runs what the user made of the parameters, and tells the model", async () => {
    const { client } = await connect([send], {
      revision,
      answer: () => approve({ params: '{"text":"bye"}' }),
    })
    const result = await client.callTool({ name: "send", arguments: { text: "hi" } })
    expect(textOfResult(result)).toBe(
      'The user edited the parameters before this ran: {"text":"bye"}\nsent bye',
    )
  })

  it("asks again where the answer cannot be used", async () => {
    const answers = [approve({ params: "[1" }), { action: "accept" as const, content: {} }, approve()]
    const { client, asked } = await connect([send], { revision, answer: () => answers.shift()! })
    const result = await client.callTool({ name: "send", arguments: { text: "hi" } })
    expect(textOfResult(result)).toBe("sent hi")
    expect(asked[1]).toMatch(/^The other parameters are no JSON object\./)
    expect(asked[2]).toMatch(/^The answer has to name a decision/)
  })

  it.each([
    [{}, "it has none"],
    [{ decision: "maybe" }, 'got `"maybe"`'],
    [{ decision: true }, "got `true`"],
    [{ approve: "yes", reason: "why not" }, "it has none"],
    [{ decision: ["approve"] }, 'got `["approve"]`'],
  ])("asks once more where a form is accepted with %j, and then denies", async (content, found) => {
    const { client, asked } = await connect([send], {
      revision,
      answer: () => ({ action: "accept", content: content as Record<string, string> }),
    })
    const result = await client.callTool({ name: "send", arguments: { text: "hi" } })
    const fault = `The answer has to name a decision: \`decision\` must be approve, always or deny, ${found}.`
    expect(result.isError).toBe(true)
    expect(textOfResult(result)).toBe(
      `The answer of this MCP client could not be used, also when it was asked again. ${fault} The call was denied, and did not run.`,
    )
    expect(asked.map((message) => message.split("\n")[0])).toEqual(["May the tool Send (send) run?", fault])
  })

  it("never runs a call as it was where the user gave something else for its parameters", async () => {
    const { client, asked } = await connect([send], {
      revision,
      answer: () => approve({ params: true as never }),
    })
    const result = await client.callTool({ name: "send", arguments: { text: "hi" } })
    expect(result.isError).toBe(true)
    expect(textOfResult(result)).toContain("The other parameters are no JSON object.")
    expect(asked).toHaveLength(2)
  })

  it("asks without other parameters where a preview is applied, which cannot run with any", async () => {
    const answers = [approve({ params: '{"other":true}' }), approve()]
    const { client, asked } = await connect([stage], { revision, answer: () => answers.shift()! })
    await client.callTool({ name: "stage", arguments: {} })
    const apply = { action: "apply", reason: "as asked" }
    const result = await client.callTool({ name: "resolve", arguments: apply })
    expect(textOfResult(result)).toContain("changed")
    expect(asked).toHaveLength(2)
    expect(asked[1]).toMatch(/^What a preview applies cannot run with other parameters: leave them out/)
  })

  it("says what an approval for good lets through, and asks about everything else again", async () => {
    const filters = ToolFilters.compile({})
    const { client, asked } = await connect([send], {
      revision,
      answer: () => approve({ decision: "always" }),
      executor: { filters },
    })
    const call = async (text: string) =>
      textOfResult(await client.callTool({ name: "send", arguments: { text } }))
    expect(await call("hi")).toBe("sent hi")
    expect(asked[0]).toContain('"always" approves it, and from now on this very call')
    expect(await call("hi")).toBe("sent hi")
    expect(asked).toHaveLength(1)
    expect(await call("ho")).toBe("sent ho")
    expect(asked).toHaveLength(2)
  })

  it("offers no approval for good whose rule a form cannot show whole", async () => {
    const { client, asked } = await connect([send], { revision, answer: () => approve() })
    await client.callTool({ name: "send", arguments: { text: "x".repeat(8_001) } })
    expect(asked[0]).not.toContain("always")
  })

  it("offers no approval for good at a gate that only a person passes", async () => {
    const pay = defineTool({
      name: "pay",
      description: "Pays.",
      parameters: Type.Object({}),
      compose: () =>
        pipeline()
          .awaitApproval({ person: true })
          .andThen(() => Step.Output("paid")),
    })
    const { client, asked } = await connect([pay], {
      revision,
      answer: () => approve({ decision: "always" }),
    })
    const result = await client.callTool({ name: "pay", arguments: {} })
    expect(asked[0]).not.toContain("always")
    expect(textOfResult(result)).toContain('`decision` must be approve or deny, got `"always"`.')
  })

  it("tells the model where its client cannot ask the user after all", async () => {
    const { client, executor } = await connect([send], {
      revision: "2025-11-25",
      answer: () => Promise.reject(new Error("no window")),
    })
    const result = await client.callTool({ name: "send", arguments: { text: "hi" } })
    expect(result.isError).toBe(true)
    expect(textOfResult(result)).toBe("This MCP client could not answer: no window")
    expect(executor.inspect()).toEqual([])
  })

  it.each([
    [
      "a reason",
      { action: "accept" as const, content: { decision: "deny", reason: "not today" } },
      "not today",
    ],
    ["a refusal", { action: "decline" as const }, "Denied by user"],
    [
      "nothing",
      { action: "cancel" as const },
      "The user dismissed the question without an answer. Do not try it again unasked.",
    ],
  ])("ends a call that the user denies with %s", async (_what, answer, text) => {
    const { client } = await connect([send], { revision, answer: () => answer })
    const result = await client.callTool({ name: "send", arguments: { text: "hi" } })
    expect(result).toMatchObject({ isError: true, content: [{ type: "text", text }] })
  })

  it("denies a gate where the client cannot ask its user", async () => {
    const { client } = await connect([send], { revision })
    const result = await client.callTool({ name: "send", arguments: { text: "hi" } })
    expect(result.isError).toBe(true)
    expect(textOfResult(result)).toBe(
      "This call needs its user's approval, and this MCP client cannot ask for it: it does not declare elicitation of forms. The user can allow such calls with a rule of the server (`--allow 'send=PATTERN'`, or `filters`), answer on a page (`stepline mcp --ui`), or use a client that shows forms.",
    )
  })

  it("asks nobody where a rule decides", async () => {
    const filters = ToolFilters.compile({ send: { allow: ["^hi$"], deny: ["^no$"] } })
    const { client } = await connect([send], { revision, executor: { filters } })
    expect(textOfResult(await client.callTool({ name: "send", arguments: { text: "hi" } }))).toBe("sent hi")
    const denied = await client.callTool({ name: "send", arguments: { text: "no" } })
    expect(denied.isError).toBe(true)
  })

  it("lets `questions` decide in place of the client", async () => {
    const { client, asked } = await connect([send], {
      revision,
      answer: () => approve(),
      server: {
        questions: (question) => {
          if (question._tag === "AwaitingApproval") question.deny("the server says no")
        },
      },
    })
    const result = await client.callTool({ name: "send", arguments: { text: "hi" } })
    expect(textOfResult(result)).toBe("the server says no")
    expect(asked).toEqual([])
  })

  it("does not let a call that waits for its user hold up another", async () => {
    let answer: (result: ReturnType<typeof approve>) => void
    let shown: () => void
    const isShown = new Promise<void>((resolve) => (shown = resolve))
    const { client } = await connect([send, greet], {
      revision,
      answer: () => {
        shown()
        return new Promise((resolve) => (answer = resolve))
      },
    })
    const waiting = client.callTool({ name: "send", arguments: { text: "hi" } })
    await isShown
    expect(textOfResult(await client.callTool({ name: "greet", arguments: { who: "bo" } }))).toBe("hello bo")
    answer!(approve())
    expect(textOfResult(await waiting)).toBe("sent hi")
  })

  it("tells what a call streams as progress", async () => {
    const count = defineTool({
      name: "count",
      description: "Counts.",
      parameters: Type.Object({}),
      compose: () =>
        pipeline().andThen(async function* () {
          for (const n of [1, 2, 3]) yield Step.Delta(`${n} `)
          yield Step.Output("done")
        }),
    })
    const { client } = await connect([count], { revision })
    const progress: Array<unknown> = []
    const result = await client.callTool(
      { name: "count", arguments: {} },
      { onprogress: (told) => void progress.push(told) },
    )
    expect(textOfResult(result)).toBe("done")
    expect(progress).toMatchObject([
      { progress: 1, message: "1 " },
      { progress: 2, message: "2 " },
      { progress: 3, message: "3 " },
    ])
  })

  it("tells of a long stream now and then, a part at a time, and of its end always", async () => {
    const lines = 20_000
    const count = defineTool({
      name: "count",
      description: "Counts.",
      parameters: Type.Object({}),
      compose: () =>
        pipeline().andThen(async function* () {
          for (let n = 1; n <= lines; n++) yield Step.Delta(`line ${n}\n`)
          yield Step.Output("done")
        }),
    })
    const { client } = await connect([count], { revision })
    const told: Array<string> = []
    const seen: Array<number> = []
    const began = performance.now()
    await client.callTool(
      { name: "count", arguments: {} },
      {
        onprogress: ({ message, progress }) => {
          told.push(message!)
          seen.push(progress)
        },
      },
    )
    const quarters = (performance.now() - began) / 250
    expect(told[0]).toBe("line 1\n")
    expect(told.at(-1)).toMatch(new RegExp(`line ${lines}\n$`))
    expect(told.length).toBeLessThanOrEqual(10 + quarters + 1)
    expect(Math.max(...told.map((message) => message.length))).toBeLessThan(4_100)
    expect(seen).toEqual(told.map((_, index) => index + 1))
  })

  it("has the spans of calls within the span that the client names", async () => {
    const froms: Array<string | undefined> = []
    const trace: Tracer = {
      call: (_call, _tool, from) => {
        froms.push(from)
        return {
          handler: () => ({ run: (work) => work(), wrap: (effect) => effect, end: () => {} }),
          wait: () => () => {},
          end: () => {},
        }
      },
    }
    const { client } = await connect([greet], { revision, executor: { trace } })
    const traceparent = `00-${"c".repeat(32)}-${"d".repeat(16)}-01`
    const params = { name: "greet", arguments: { who: "cy" } }
    await client.callTool({ ...params, _meta: { traceparent } })
    await client.callTool(params)
    expect(froms).toEqual([traceparent, undefined])
  })

  it("cancels the call of a request that is cancelled, and cleans up", async () => {
    let began = () => {}
    let ended = () => {}
    const running = new Promise<void>((resolve) => (began = resolve))
    const cleaned = new Promise<void>((resolve) => (ended = resolve))
    const { client, executor } = await connect([hanging(began, ended)], { revision })
    const abort = new AbortController()
    const call = client.callTool({ name: "hang", arguments: {} }, { signal: abort.signal })
    await running
    abort.abort()
    await expect(call).rejects.toThrow()
    await cleaned
    await expect.poll(() => executor.inspect()).toEqual([])
  })

  it("gives images, links and structured output as they are", async () => {
    const content = [
      { type: "text", text: "a" },
      { type: "image", data: "aGk=", mimeType: "image/png" },
      { type: "audio", data: "aGk=", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "file:///a", text: "b" } },
      { type: "resource_link", uri: "file:///c", name: "c" },
    ] as const
    const show = defineTool({
      name: "show",
      description: "Shows.",
      parameters: Type.Object({}),
      outputSchema: Type.Object({ n: Type.Number() }),
      compose: () =>
        pipeline().andThen(() => Step.Output({ content, structured: { n: 1 }, details: "secret" })),
    })
    const { client } = await connect([show], { revision })
    const result = await client.callTool({ name: "show", arguments: {} })
    expect(result).toMatchObject({ content, structuredContent: { n: 1 } })
    expect(JSON.stringify(result)).not.toContain("secret")
  })

  it("tells clients that the tools have changed", async () => {
    const { client, registry } = await connect([greet], { revision })
    const changed = new Promise<void>((resolve) => {
      client.setNotificationHandler("notifications/tools/list_changed", () => resolve())
    })
    if (revision === "2026-07-28") await client.listen({ toolsListChanged: true })
    registry.register(send)
    await changed
    const { tools } = await client.listTools(undefined, { cacheMode: "refresh" })
    expect(tools.map(({ name }) => name)).toEqual(["greet", "send"])
  })

  it("offers resolve while there is something to resolve", async () => {
    const rename = defineTool({
      name: "rename",
      description: "Renames.",
      parameters: Type.Object({}),
      compose: () =>
        pipeline()
          .andThen(() => Step.Output("3 places"))
          .awaitResolve({ label: "Rename 3 places" })
          .andThen(() => Step.Output("renamed")),
    })
    const { client } = await connect([rename], { revision })
    const names = async () =>
      (await client.listTools(undefined, { cacheMode: "refresh" })).tools.map(({ name }) => name)
    expect(await names()).toEqual(["rename"])
    expect(textOfResult(await client.callTool({ name: "rename", arguments: {} }))).toContain("3 places")
    expect(await names()).toEqual(["rename", "resolve"])
    const applied = await client.callTool({ name: "resolve", arguments: { action: "apply", reason: "fine" } })
    expect(textOfResult(applied)).toContain("renamed")
    expect(await names()).toEqual(["rename"])
  })

  it("lists resolve always where it is told to, and says so where there is nothing to resolve", async () => {
    const { client } = await connect([greet], { revision, server: { withResolve: true } })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(["greet", "read_result", "resolve"])
    const result = await client.callTool({ name: "resolve", arguments: { action: "apply", reason: "fine" } })
    expect([result.isError, textOfResult(result)]).toEqual([
      true,
      "No pending action to resolve. Nothing to apply or discard.",
    ])
  })

  it("lets a call run in the background, and collects it with the tool for that", async () => {
    const { getBackgroundTaskTool } = await import("../../../src/impls/get-background-task.ts")
    const { client, executor } = await connect([greet, getBackgroundTaskTool], { revision })
    const started = textOfResult(
      await client.callTool({ name: "greet", arguments: { who: "cy", background: true } }),
    )
    const id = /task_id: (\S+)\)/.exec(started)![1]!
    await executor.tasks.wait(id)
    const collected = await client.callTool({ name: "get_background_task", arguments: { task_id: id } })
    expect(textOfResult(collected)).toContain("hello cy")
  })
})
