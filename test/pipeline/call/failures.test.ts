import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { pipeline, Step, type ToolContent, ToolError } from "../../../src/index.ts"
import { executorOf, type Plan } from "../../support/executor-of.ts"

const image: ToolContent = { type: "image", data: "AAAA", mimeType: "image/png" }
const text = (said: string): ToolContent => ({ type: "text", text: said })

const resultOf = (plan: Plan, options?: Parameters<typeof executorOf>[1]) =>
  executorOf({ tool: plan }, options).run({ name: "tool" })

describe("a typed failure without a message", () => {
  class NotFound extends Data.TaggedError("NotFound")<{ readonly path: string; readonly tries: number }> {}
  class Gone extends Data.TaggedError("Gone") {}

  it.each([
    ["of its own class", new NotFound({ path: "a.ts", tries: 2 }), 'NotFound: {"path":"a.ts","tries":2}'],
    ["that is a plain object", { _tag: "NotFound", path: "a.ts" }, 'NotFound: {"path":"a.ts"}'],
    ["with a number past JSON's", { _tag: "TooBig", size: 5n }, 'TooBig: {"size":"5"}'],
    ["without fields", new Gone(), "Gone"],
  ])("is told with its fields: one %s", async (_what, failure, content) => {
    const plan = pipeline().andThen(() => Effect.fail(failure))
    expect(await resultOf(plan)).toMatchObject({
      status: "error",
      content,
      output: { content: [text(content)] },
    })
  })

  it("is told by its name where its fields cannot be written down", async () => {
    const failure: Record<string, unknown> = { _tag: "Odd" }
    failure.self = failure
    expect(await resultOf(pipeline().andThen(() => Effect.fail(failure)))).toMatchObject({ content: "Odd" })
  })

  it("is cut where its fields are long", async () => {
    const failure = { _tag: "TooLong", body: "x".repeat(5000) }
    const { content } = await resultOf(pipeline().andThen(() => Effect.fail(failure)))
    expect(content).toBe(`TooLong: {"body":"${"x".repeat(1991)}… [truncated: 5011 characters]`)
  })
})

describe("an Error step with an output", () => {
  it("is told by its message and the output behind it, images included", async () => {
    const plan = pipeline().andThen(() =>
      Step.Error("the page is broken", { output: { content: [text("before"), image, text("after")] } }),
    )
    expect(await resultOf(plan)).toMatchObject({
      status: "error",
      content: "the page is broken\nbefore\nafter",
      output: { content: [text("the page is broken"), text("before"), image, text("after")] },
    })
  })

  it("keeps an image that stands alone", async () => {
    const plan = pipeline().andThen(() =>
      Step.Error("no", { output: { content: [image], details: { at: 1 } } }),
    )
    expect(await resultOf(plan)).toMatchObject({
      content: "no",
      output: { content: [text("no"), image], details: { at: 1 } },
    })
  })

  it("says what is wrong with an output that is none, and keeps its own message", async () => {
    const plan = pipeline().andThen({
      name: "shoot",
      call: () => Step.Error("no", { output: { content: [{ type: "image", data: "AAAA" }] } as never }),
    })
    const content =
      "no\nHandler `shoot` gave an output that is not made of content blocks: `content[0]` needs a `mimeType`, a string"
    expect(await resultOf(plan)).toMatchObject({
      status: "error",
      content,
      output: { content: [text(content)] },
    })
  })

  it("keeps its image where a hook says that it is none", async () => {
    const plan = pipeline().andThen(() => Step.Error("no", { output: { content: [image] } }))
    const hooks = { afterCall: () => ({ isError: false }) }
    expect(await resultOf(plan, { hooks })).toMatchObject({
      status: "complete",
      output: { content: [text("no"), image] },
    })
  })
})

describe("an Error", () => {
  it("leaves the text of earlier handlers to the host, and keeps their images", async () => {
    const plan = pipeline()
      .andThen(() => Step.Output({ content: [text("preview"), image] }))
      .andThen(() => Step.Error("no"))
    expect(await resultOf(plan)).toMatchObject({ content: "no", output: { content: [text("no"), image] } })
  })

  it("has the reason that its handler gives", async () => {
    const late = { reason: "timeout" } as const
    for (const plan of [
      pipeline().andThen(() => Step.Error("too late", late)),
      pipeline().andThen(() => {
        throw new ToolError("too late", late)
      }),
      pipeline().andThen(() => Effect.fail(new ToolError("too late", late))),
    ]) {
      expect(await resultOf(plan)).toMatchObject({ status: "error", reason: "timeout", content: "too late" })
    }
  })

  it("of a handler that was late tells what it streamed, or what it put out", async () => {
    const streamed = pipeline().andThen(async ({ delta }) => {
      await delta("half")
      return Step.Error("too late", { reason: "timeout" })
    })
    expect(await resultOf(streamed)).toMatchObject({ reason: "timeout", content: "too late\nhalf" })
    const put = pipeline().andThen(() => Step.Error("too late", { reason: "timeout", output: "half" }))
    expect(await resultOf(put)).toMatchObject({ content: "too late\nhalf" })
  })

  it("has no other reason than those", async () => {
    const plan = pipeline().andThen(() => Step.Error("no", { reason: "withheld" as never }))
    expect(await resultOf(plan)).toMatchObject({ reason: "failed" })
  })
})
