import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolContent, type ToolOutput } from "../../src/index.ts"
import { executorOf } from "../support/executor-of.ts"

const audio: ToolContent = { type: "audio", data: "AAAA", mimeType: "audio/wav" }
const file: ToolContent = {
  type: "resource",
  resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "one" },
  annotations: { audience: ["user"], priority: 0.5 },
}
const bytes: ToolContent = { type: "resource", resource: { uri: "file:///b", blob: "AAAA" } }
const link: ToolContent = {
  type: "resource_link",
  uri: "file:///c",
  name: "c",
  title: "The C",
  description: "A file.",
  mimeType: "text/x-c",
  size: 12,
  _meta: { "example/etag": "1" },
}
const text = (words: string): ToolContent => ({ type: "text", text: words })

const resultOf = (output: unknown) =>
  executorOf({ show: pipeline().andThen(() => Step.Output(output as ToolOutput)) }).run({ name: "show" })

describe("an output of sounds and resources", () => {
  it("reaches the host as it is, and its text is that of its text blocks", async () => {
    const content = [text("one"), audio, file, bytes, link, text("two")]
    expect(await resultOf({ content })).toEqual({
      status: "complete",
      content: "one\ntwo",
      output: { content },
      isError: false,
    })
  })

  it("is kept by an Error, behind its message", async () => {
    const content = [audio, file, bytes, link]
    const plan = pipeline().andThen(() => Step.Error("no", { output: { content } }))
    expect(await executorOf({ show: plan }).run({ name: "show" })).toMatchObject({
      status: "error",
      content: "no",
      output: { content: [text("no"), ...content] },
    })
  })

  it("of an earlier handler is kept by the Error of a later one", async () => {
    const plan = pipeline()
      .andThen(() => Step.Output({ content: [text("so far"), audio, link] }))
      .andThen(() => Step.Error("no"))
    expect((await executorOf({ show: plan }).run({ name: "show" })).output).toEqual({
      content: [text("no"), audio, link],
    })
  })

  it("is shown at a gate, and written down with the call that waits there", async () => {
    const content = [audio, file, bytes, link]
    const plan = pipeline()
      .andThen(() => Step.Output({ content }))
      .awaitApproval()
    const executor = executorOf({ show: plan })
    executor.enqueue([{ callId: "c", name: "show" }])
    await executor.next()
    expect(await executor.next()).toMatchObject({ _tag: "AwaitingApproval", preview: { content } })
    const snapshot = executor.snapshot("c")
    const other = executorOf({ show: plan })
    other.restore(JSON.parse(JSON.stringify(snapshot)))
    expect(await other.next()).toMatchObject({ _tag: "AwaitingApproval", preview: { content } })
    other.approve("c")
    expect(await other.next()).toMatchObject({ _tag: "Completed", output: { content } })
    const broken = JSON.parse(JSON.stringify(snapshot).replace('"name":"c"', '"name":7'))
    expect(() => executorOf({ show: plan }).restore(broken)).toThrow("this is no snapshot of a call")
  })

  it("answers an effect", async () => {
    const plan = pipeline().andThen(() => Step.Delegate({ _tag: "Listen" }))
    const executor = executorOf({ show: plan }, { delegates: { Listen: () => ({ content: [audio] }) } })
    expect((await executor.run({ name: "show" })).output).toEqual({ content: [audio] })
  })
})

describe("a block that no host can show is an Error that says why", () => {
  const type = "has a `type` that is none of text, image, audio, resource and resource_link"
  const eitherOf = "needs either `resource.text`, a string, or `resource.blob`, base64"
  it.each([
    ["text", "is no object"],
    [null, "is no object"],
    [[], "is no object"],
    [{}, type],
    [{ type: "video", data: "AAAA" }, type],
    [{ type: "text" }, "needs a `text`, a string"],
    [{ type: "image", mimeType: "image/png" }, "needs its `data`, base64"],
    [{ type: "audio", data: new Uint8Array(3), mimeType: "audio/wav" }, "needs its `data`, base64"],
    [{ type: "audio", data: "AAAA" }, "needs a `mimeType`, a string"],
    [{ type: "resource", uri: "file:///a" }, "needs a `resource`, an object"],
    [{ type: "resource", resource: { text: "a" } }, "needs a `resource.uri`, a string"],
    [{ type: "resource", resource: { uri: "file:///a" } }, eitherOf],
    [{ type: "resource", resource: { uri: "file:///a", text: "a", blob: "AAAA" } }, eitherOf],
    [{ type: "resource", resource: { uri: "file:///a", text: "a", blob: 5 } }, eitherOf],
    [
      { type: "resource", resource: { uri: "file:///a", text: "a", mimeType: 1 } },
      "needs a string as its `resource.mimeType`",
    ],
    [{ type: "resource_link", name: "a" }, "needs a `uri`, a string"],
    [{ type: "resource_link", uri: "file:///a" }, "needs a `name`, a string"],
    [
      { type: "resource_link", uri: "file:///a", name: "a", title: 1 },
      "needs strings as its `title`, `description` and `mimeType`",
    ],
    [{ ...link, size: "12" }, "needs a number of bytes as its `size`"],
    [{ ...text("a"), annotations: "user" }, "needs an object as its `annotations`"],
    [{ ...text("a"), _meta: [] }, "needs an object as its `_meta`"],
  ])("%j", async (block, fault) => {
    expect(await resultOf({ content: [text("one"), block] })).toMatchObject({
      status: "error",
      reason: "failed",
      content: `Handler \`anonymous\` gave an output that is not made of content blocks: \`content[1]\` ${fault}`,
    })
  })

  it("also where it is the host's answer to an effect", async () => {
    const plan = pipeline().andThen(() => Step.Delegate({ _tag: "Listen" }))
    const delegates = { Listen: () => ({ content: [{ type: "audio" }] }) as never }
    expect(await executorOf({ show: plan }, { delegates }).run({ name: "show" })).toMatchObject({
      status: "error",
      content:
        "The host's answer to Listen is not made of content blocks: `content[0]` needs its `data`, base64",
    })
  })

  it("also in a finally handler, as a failure of its cleanup", async () => {
    const events: Array<unknown> = []
    const plan = pipeline().finally(() => Step.Output({ content: [{ type: "text" }] } as never))
    await executorOf({ show: plan }).run({ name: "show" }, (event) => events.push(event))
    expect(events.at(-1)).toMatchObject({
      _tag: "Completed",
      cleanupErrors: [
        "anonymous: gave an output that is not made of content blocks: `content[0]` needs a `text`, a string",
      ],
    })
  })
})

describe("`structured`", () => {
  it("passes with the output, and its JSON is the text where no block is one", async () => {
    const structured = { files: ["a"], total: 1 }
    const json = '{"files":["a"],"total":1}'
    expect(await resultOf({ content: [], structured })).toMatchObject({
      content: json,
      output: { content: [text(json)], structured },
    })
    expect((await resultOf({ content: [audio], structured })).output.content).toEqual([audio, text(json)])
    expect(await resultOf({ content: [text("one file")], structured })).toMatchObject({
      content: "one file",
      output: { content: [text("one file")], structured },
    })
  })

  it("alone is an output: its JSON is the text", async () => {
    const output = { content: [text('{"total":1}')], structured: { total: 1 } }
    const show = pipeline().andThen(() => Step.Output({ structured: { total: 1 } }))
    expect(await executorOf({ show }).run({ name: "show" })).toMatchObject({ status: "complete", output })
    const asked = pipeline().andThen(() => Step.Delegate({ _tag: "Ask" }))
    const answered = await executorOf({ asked }).run({ name: "asked" }, (event) => {
      if (event._tag === "Delegate") event.succeed({ structured: { total: 1 } })
    })
    expect(answered).toMatchObject({ status: "complete", output })
    expect(await resultOf({ details: 1 })).toMatchObject({
      content: "Handler `anonymous` gave an output that is neither text nor content blocks",
    })
  })

  const circular: Array<unknown> = []
  circular.push(circular)
  it.each([
    [() => 1, "`structured` is a function"],
    [Symbol("x"), "`structured` is a symbol"],
    [{ size: 5n }, "`structured.size` is a bigint"],
    [{ files: [{ at: new Date(0) }] }, "`structured.files[0].at` is a Date"],
    [{ ids: new Set(["a"]) }, "`structured.ids` is a Set"],
    [Number.NaN, "`structured` is NaN"],
    [[1, Number.POSITIVE_INFINITY], "`structured[1]` is Infinity"],
    [[undefined], "`structured[0]` is undefined"],
    [new Error("no"), "`structured` is an Error"],
    [circular, "it is nested too deeply, or refers to itself"],
    [
      {
        get x() {
          throw new Error("not now")
        },
      },
      "it cannot be read: not now",
    ],
  ])("that is no plain JSON is an Error, whatever the text: %#", async (structured, fault) => {
    const content = `Handler \`anonymous\` gave an output that has a \`structured\` that is no plain JSON: ${fault}`
    for (const blocks of [[], [text("as text")], undefined]) {
      expect(await resultOf({ content: blocks, structured })).toMatchObject({ status: "error", content })
    }
  })

  it.each([
    null,
    false,
    0,
    "",
    [],
    { a: [{ b: null }], c: undefined, __proto__: null },
    JSON.parse('{"__proto__":{"x":1}}'),
  ])("may be any JSON: %j", async (structured) => {
    const { status, output } = await resultOf({ structured })
    expect(status).toBe("complete")
    expect(output.structured).toBe(structured)
  })
})
