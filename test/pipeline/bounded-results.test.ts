import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolEvent, type ToolExecutorOptions, type ToolOutput } from "../../src/index.ts"
import { executorOf, toolOf } from "../support/executor-of.ts"

const bytesOf = (text: string): number => Buffer.byteLength(text)

/** What of a text nothing else holds: each character says where it is. */
const numbered = (lines: number): string =>
  Array.from({ length: lines }, (_, n) => `line ${n} é😀`).join("\n")

const textTool = (text: string) => pipeline().andThen(() => Step.Output(text))

const images = (...sizes: ReadonlyArray<number>): ToolOutput["content"] =>
  sizes.map((size) => ({ type: "image", data: "A".repeat(size), mimeType: "image/png" }))

const blocksTool = (content: ToolOutput["content"]) => pipeline().andThen(() => Step.Output({ content }))

const long = numbered(20_000)

const setUp = (options: ToolExecutorOptions = {}) =>
  executorOf({ long: textTool(long), short: textTool("short") }, options)

const read = (executor: ReturnType<typeof setUp>, params: object, agentId = "main") =>
  executor.run({ name: "read_result", params, agentId })

describe("the result of a call", () => {
  it("gives the model the start and the end of a long text, and says how to read it on", async () => {
    const executor = setUp()
    const result = await executor.run({ callId: "a", name: "long" })
    expect(result).toMatchObject({ status: "complete", bounded: { bytes: bytesOf(long), callId: "a" } })
    expect(bytesOf(result.content)).toBeLessThanOrEqual(50_000)
    expect(bytesOf(result.content)).toBeGreaterThan(49_900)
    expect(result.output.content).toEqual([{ type: "text", text: result.content }])
    const [, head, left, id, offset, tail] =
      /^(.*)\n\[… (\d+) bytes left out; read on with read_result \{ "call_id": "(\w+)", "offset": (\d+) \} …\]\n(.*)$/s.exec(
        result.content,
      )!
    expect(long.startsWith(head!)).toBe(true)
    expect(long.endsWith(tail!)).toBe(true)
    expect(id).toBe("a")
    expect(Number(offset)).toBe(bytesOf(head!))
    expect(bytesOf(head!) + Number(left) + bytesOf(tail!)).toBe(bytesOf(long))
  })

  it("is read on to its end, whole characters at a time", async () => {
    const executor = setUp({ maxOutputBytes: 1000 })
    const { content } = await executor.run({ callId: "a", name: "long" })
    let [, offset] = /"offset": (\d+)/.exec(content)!
    let text = content.slice(0, content.indexOf("\n[… "))
    for (let next: string | undefined = offset; next !== undefined; next = offset) {
      const part = await read(executor, { call_id: "a", offset: Number(next), limit: 60_000 })
      expect(part.bounded).toBeUndefined()
      expect(bytesOf(part.content)).toBeLessThanOrEqual(1000)
      offset = /\n\[… up to byte (\d+) of \d+;.* …\]$/.exec(part.content)?.[1]
      text += offset === undefined ? part.content : part.content.slice(0, part.content.lastIndexOf("\n[… "))
    }
    expect(text).toBe(long)
  })

  it("is read from its start, from the middle of a character, and within a limit", async () => {
    const executor = executorOf({ tool: textTool("😀".repeat(1000)) }, { maxOutputBytes: 300 })
    await executor.run({ callId: "a", name: "tool" })
    expect((await read(executor, { call_id: "a", limit: 8 })).content).toMatch(
      /^😀😀\n\[… up to byte 8 of 4000;/,
    )
    expect((await read(executor, { call_id: "a", offset: 5, limit: 1 })).content).toMatch(
      /^😀\n\[… up to byte 12 of 4000;/,
    )
    expect(await read(executor, { call_id: "a", offset: 3996 })).toMatchObject({ content: "😀" })
    expect(await read(executor, { call_id: "a", offset: 4000 })).toMatchObject({
      isError: true,
      content: 'The result of call "a" has 4000 bytes: offset 4000 is past its end.',
    })
  })

  it("is read only by the agent of its call", async () => {
    const executor = setUp()
    await executor.run({ callId: "a", name: "long", agentId: "one" })
    expect((await read(executor, { call_id: "a" }, "one")).status).toBe("complete")
    for (const [callId, agentId] of [
      ["a", "two"],
      ["b", "one"],
    ] as const) {
      expect(await read(executor, { call_id: callId }, agentId)).toMatchObject({
        isError: true,
        content: expect.stringContaining(`No result of call "${callId}" is kept`),
      })
    }
  })

  it("is whole where it fits to the byte, and one that fits not is cut", async () => {
    const executor = executorOf(
      { fits: textTool("é".repeat(500)), over: textTool("é".repeat(501)) },
      {
        maxOutputBytes: 1000,
      },
    )
    expect((await executor.run({ name: "fits" })).bounded).toBeUndefined()
    const { content, bounded } = await executor.run({ name: "over" })
    expect(bounded?.bytes).toBe(1002)
    expect(bytesOf(content)).toBeLessThanOrEqual(1000)
    expect(content).not.toContain("\uFFFD")
  })

  it("has the bound of its tool, or none", async () => {
    const executor = executorOf(
      {
        small: toolOf("small", textTool(long), { maxOutputBytes: 200 }),
        all: toolOf("all", textTool(long), { maxOutputBytes: false }),
        own: toolOf("own", textTool("x".repeat(51_000)), { cutsOutput: true }),
      },
      {},
    )
    expect(bytesOf((await executor.run({ name: "small" })).content)).toBeLessThanOrEqual(200)
    expect((await executor.run({ name: "all" })).content).toBe(long)
    expect((await executor.run({ name: "own" })).content).toHaveLength(51_000)
    expect((await setUp({ maxOutputBytes: false }).run({ name: "long" })).content).toBe(long)
  })

  it("is whole for the handler that made the call; the model is given what the handler makes of it", async () => {
    const executor = executorOf({
      long: textTool(long),
      reads: pipeline().andThen(async ({ call }) => Step.Output((await call("long")).content)),
      tasks: pipeline().andThen(async ({ call }) =>
        Step.Output((await call("long", { background: true })).taskId!),
      ),
    })
    const events: Array<ToolEvent> = []
    const result = await executor.run({ callId: "a", name: "reads" }, (event) => events.push(event))
    expect(result.bounded).toEqual({ bytes: bytesOf(long), callId: "a" })
    const inner = events.find(({ _tag, ...event }) => _tag === "Completed" && "parentId" in event)
    expect(inner).toMatchObject({ callId: "a/1", content: long })
    expect(inner).not.toHaveProperty("bounded")

    const { content: taskId } = await executor.run({ callId: "b", name: "tasks" }, () => undefined)
    expect(await executor.tasks.wait(taskId)).toMatchObject({ bounded: { callId: "b/1" } })
  })

  it("is cut after `afterCall`, which sees all of it", async () => {
    const seen: Array<number> = []
    const executor = setUp({
      hooks: {
        afterCall: (_, { content }) => {
          seen.push(content.length)
          return { content: `${content}!` }
        },
      },
    })
    const result = await executor.run({ name: "long" })
    expect(seen).toEqual([long.length])
    expect(result.bounded?.bytes).toBe(bytesOf(long) + 1)
    expect(result.content.endsWith("!")).toBe(true)
  })

  it("leaves out blocks that do not fit, and says so", async () => {
    const executor = executorOf({
      images: blocksTool([{ type: "text", text: "Three" }, ...images(40_000, 20_000, 5000)]),
      both: blocksTool([{ type: "text", text: long }, ...images(20_000, 20_000)]),
      alone: blocksTool(images(60_000)),
    })
    const some = await executor.run({ name: "images" })
    expect(some.output.content).toEqual([
      { type: "text", text: "Three" },
      ...images(40_000, 5000),
      { type: "text", text: "[1 block left out, too large to be shown: image, 20000 bytes]" },
    ])
    expect(some.content).toBe("Three\n[1 block left out, too large to be shown: image, 20000 bytes]")
    expect(some.bounded?.bytes).toBe(65_005)
    const both = await executor.run({ name: "both" })
    expect(both.output.content.map(({ type }) => type)).toEqual(["text", "image", "text"])
    expect(bytesOf(both.content)).toBeLessThanOrEqual(30_000)
    expect(both.content).toContain("read_result")
    expect((await executor.run({ name: "alone" })).content).toBe(
      "[1 block left out, too large to be shown: image, 60000 bytes]",
    )
  })

  it("is cut where it is the text of a resource, and of several blocks", async () => {
    const resource = { type: "resource", resource: { uri: "file:///a", text: long } } as const
    const executor = executorOf({
      tool: blocksTool([{ type: "text", text: "first" }, resource, { type: "text", text: "last" }]),
    })
    const { content, output } = await executor.run({ callId: "a", name: "tool" })
    expect(content).toMatch(/^first\nline 0 .*\nlast$/s)
    expect(output.content).toHaveLength(1)
    expect((await read(executor, { call_id: "a", offset: 6 })).content).toMatch(/^line 0 /)
  })

  it("is cut where the call fails, is denied or is cancelled", async () => {
    const denied = textTool("").awaitApproval()
    const failing = pipeline().andThen(() => Step.Error(long, { output: { content: images(10) } }))
    const executor = executorOf({
      failing,
      denied: pipeline()
        .awaitApproval()
        .andThen(() => denied && Step.Continue),
    })
    const failed = await executor.run({ callId: "a", name: "failing" })
    expect(failed).toMatchObject({ status: "error", bounded: { callId: "a" } })
    expect(bytesOf(failed.content)).toBeLessThanOrEqual(50_000)
    expect(failed.output.content.map(({ type }) => type)).toEqual(["text", "image"])
    const no = await executor.run({ name: "denied" }, (event) => {
      if (event._tag === "AwaitingApproval") event.deny(long)
    })
    expect(no).toMatchObject({ status: "denied", bounded: { bytes: bytesOf(long) } })
    expect(bytesOf(no.content)).toBeLessThanOrEqual(50_000)
  })

  it("is cut of a background task too", async () => {
    const executor = setUp()
    const [id] = executor.enqueue([{ name: "long", background: true }])
    const task = await executor.tasks.wait(id!)
    expect(bytesOf(task!.content)).toBeLessThanOrEqual(50_000)
    expect(task).toMatchObject({ bounded: { callId: id } })
    executor.tasks.take(id!)
    expect((await read(executor, { call_id: id, offset: 100 })).status).toBe("complete")
  })
})

describe("the tool read_result", () => {
  const names = (executor: ReturnType<typeof setUp>, agentId = "main") =>
    executor
      .agent(agentId)
      .definitions()
      .map(({ name }) => name)

  it("is told to models once a result was cut, and whoever listens hears of it", async () => {
    const executor = setUp()
    let changes = 0
    executor.agent("main").onDefinitionsChange(() => {
      changes += 1
    })
    executor.agent("main").setActiveTools(["long", "short"])
    const before = changes
    await executor.run({ name: "short" })
    expect(names(executor)).toEqual(["long", "short"])
    await executor.run({ name: "long" })
    expect(names(executor)).toEqual(["long", "short", "read_result"])
    await executor.run({ name: "long" })
    expect(changes).toBe(before + 1)
    expect(executor.agent("main").tool("read_result")).toMatchObject({ annotations: { readOnly: true } })
  })

  it("gives way to a registered one, which then no result names", async () => {
    const executor = executorOf({ long: textTool(long), read_result: textTool("mine") })
    const { content, bounded } = await executor.run({ name: "long" })
    expect(content).toMatch(/\n\[… \d+ bytes left out …\]\n/)
    expect(bounded?.bytes).toBe(bytesOf(long))
    expect((await executor.run({ name: "read_result" })).content).toBe("mine")
    expect(names(executor)).toEqual(["long", "read_result"])
  })
})

it.each([0, -1, 1.5, "1000", true])("a bound of %s is refused", (maxOutputBytes) => {
  const options = { maxOutputBytes } as never
  const message = "`maxOutputBytes`"
  expect(() => setUp(options)).toThrow(TypeError)
  expect(() => setUp(options)).toThrow(
    `Expected ${message} to be a positive integer, or false for none, got \``,
  )
  expect(() => toolOf("tool", pipeline(), options)).toThrow(
    `Expected ${message} of tool \`tool\` to be a positive`,
  )
})

it("a bound of a few bytes is kept too", async () => {
  for (const maxOutputBytes of [1, 10, 40, 100]) {
    const { content } = await setUp({ maxOutputBytes }).run({ callId: "a", name: "long" })
    expect(bytesOf(content)).toBeLessThanOrEqual(maxOutputBytes)
  }
})
